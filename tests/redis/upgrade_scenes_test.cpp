// Readers who become the writer, on one server and on a quorum.
#include <gtest/gtest.h>

#include <future>

#include "redis/sharing_scenes.hpp"

namespace holdfast::test {
namespace {

struct upgrade_scenes : sharing_scenes {};

INSTANTIATE_TEST_SUITE_P(, upgrade_scenes, testing::Values(1, 3, 4, 5), deployment_name);

TEST_P(upgrade_scenes, upgrade_waits_for_the_other_readers_and_passes_those_who_wait) {
  lease mine = acquire_shared(redis, "door", how);
  lease last = acquire_shared(redis, "door", how);
  auto writer = start([&] { return acquire_exclusive(other, "door", how).fence(); });
  ASSERT_TRUE(waiting(1));
  const auto shared_fence = mine.fence();
  auto upgraded = start([&] { return upgrade(mine, waits(5000ms)); });
  ASSERT_TRUE(waiting(2));
  EXPECT_TRUE(all_have("2"));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(last.release(), release_outcome::released);
  ASSERT_EQ(upgraded.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(was_invited(redis, begin));
  const auto done = upgraded.get();
  ASSERT_TRUE(done) << done.failure().detail;
  EXPECT_TRUE(all_have("100000000")) << "the reader's share is given back";
  EXPECT_GT(mine.fence(), shared_fence);
  EXPECT_EQ(try_acquire_shared(other, "door", how).code(), errc::held);
  ASSERT_EQ(writer.wait_for(100ms), std::future_status::timeout);
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_GT(writer.get(), mine.fence());
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(upgrade_scenes, a_second_upgrader_is_refused_and_keeps_its_share) {
  lease first = acquire_shared(redis, "door", how);
  lease second = acquire_shared(other, "door", how);
  auto upgraded = start([&] { return upgrade(first, waits(10s)); });
  ASSERT_TRUE(waiting(1));
  const auto refused = upgrade(second, how);
  EXPECT_EQ(refused.code(), errc::deadlock);
  EXPECT_TRUE(has(refused.failure().detail, "another reader")) << refused.failure().detail;
  EXPECT_EQ(try_upgrade(second, how).code(), errc::deadlock);
  EXPECT_TRUE(waiting(1)) << "who was refused does not wait";
  EXPECT_EQ(second.state(), lease_state::VALID);
  EXPECT_EQ(second.release(), release_outcome::released);
  EXPECT_TRUE(upgraded.get());
  EXPECT_EQ(try_acquire_shared(other, "door", how).code(), errc::held);
  EXPECT_EQ(first.release(), release_outcome::released);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

// Whoever comes first at which node, they never both wait for each other.
TEST_P(upgrade_scenes, of_two_upgraders_at_the_same_instant_one_at_least_is_refused) {
  for (int round = 0; round < 10; ++round) {
    lease first = acquire_shared(redis, "door", how);
    lease second = acquire_shared(other, "door", how);
    const auto go = [&](lease& mine) {
      const auto done = upgrade(mine, waits(8000ms));
      EXPECT_TRUE(done || done.code() == errc::deadlock) << done.failure().detail;
      EXPECT_EQ(mine.state(), lease_state::VALID);
      EXPECT_EQ(mine.release(), release_outcome::released);
      return done ? 1 : 0;
    };
    auto one = start([&] { return go(first); });
    auto two = start([&] { return go(second); });
    EXPECT_LE(one.get() + two.get(), 1);
  }
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(upgrade_scenes, an_upgrade_that_gives_up_keeps_the_share) {
  lease mine = acquire_shared(redis, "door", how);
  lease last = acquire_shared(other, "door", how);
  EXPECT_EQ(try_upgrade(mine, how).code(), errc::held);
  EXPECT_EQ(upgrade(mine, waits(150ms)).code(), errc::timed_out);
  EXPECT_TRUE(waiting(0));
  EXPECT_TRUE(all_have("2"));
  last.release();
  EXPECT_EQ(mine.state(), lease_state::VALID);
  EXPECT_EQ(try_acquire_exclusive(other, "door", how).code(), errc::held);
  ASSERT_TRUE(try_upgrade(mine, how));
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(upgrade_scenes, upgrade_of_a_lost_share_is_refused) {
  lease mine = acquire_shared(redis, "door", how);
  ASSERT_TRUE(all_have("1"));
  servers.command({"DEL", "door"});
  EXPECT_EQ(try_upgrade(mine, how).code(), errc::lost);
  EXPECT_EQ(upgrade(mine, waits(5000ms)).code(), errc::lost);
  EXPECT_EQ(mine.release(), release_outcome::was_lost);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(upgrade_scenes, the_object_upgrades_and_downgrades_its_threads_hold) {
  shared_mutex door{redis, "door", how};
  EXPECT_EQ(door.upgrade(std::nothrow).code(), errc::lost);
  door.lock_shared();
  for (int i = 0; i < 3; ++i) {
    const auto fence = door.fence();
    door.upgrade();
    EXPECT_GT(door.fence(), fence);
    EXPECT_EQ(try_acquire_shared(other, "door", how).code(), errc::held);
    door.downgrade();
    EXPECT_TRUE(acquire_shared(std::nothrow, other, "door", waits(5000ms)));
  }
  const auto longer = servers.is_quorum() ? 2s : 10s;
  door.extend(longer);
  EXPECT_GT(door.remaining(), longer / 2);
  door.unlock_shared();
  EXPECT_TRUE(door.lost().stop_requested());
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

}  // namespace
}  // namespace holdfast::test
