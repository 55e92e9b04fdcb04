// Readers who become the writer, on a quorum of real servers.
#include "redis/quorum_sharing.hpp"

namespace holdfast::test {
namespace {

using QuorumUpgrade = quorum_sharing;

INSTANTIATE_TEST_SUITE_P(Nodes, QuorumUpgrade, testing::Values(3U, 4U, 5U),
                         [](const auto& of) { return "Of" + std::to_string(of.param); });

TEST_P(QuorumUpgrade, UpgradeWaitsForTheOtherReadersAndPassesThoseWhoWait) {
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
  EXPECT_TRUE(nothing_left()) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumUpgrade, ASecondUpgraderIsRefusedAndKeepsItsShare) {
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
  EXPECT_TRUE(nothing_left()) << testing::PrintToString(nodes.left_behind());
}

// Whoever comes first at which node, they never both wait for each other.
TEST_P(QuorumUpgrade, OfTwoUpgradersAtTheSameInstantOneAtLeastIsRefused) {
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
  EXPECT_TRUE(nothing_left()) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumUpgrade, AnUpgradeThatGivesUpKeepsTheShare) {
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
  EXPECT_TRUE(nothing_left()) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumUpgrade, UpgradeOfALostShareIsRefused) {
  lease mine = acquire_shared(redis, "door", how);
  ASSERT_TRUE(all_have("1"));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).number({"DEL", "door"});
  EXPECT_EQ(try_upgrade(mine, how).code(), errc::lost);
  EXPECT_EQ(upgrade(mine, waits(5000ms)).code(), errc::lost);
  EXPECT_EQ(mine.release(), release_outcome::was_lost);
  EXPECT_TRUE(nothing_left()) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumUpgrade, TheObjectUpgradesAndDowngradesItsThreadsHold) {
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
  door.extend(2000ms);
  EXPECT_GT(door.remaining(), 1s);
  door.unlock_shared();
  EXPECT_TRUE(door.lost().stop_requested());
  EXPECT_TRUE(nothing_left()) << testing::PrintToString(nodes.left_behind());
}

}  // namespace
}  // namespace holdfast::test
