// The read-write lock on one server: the order of its queue, and how long shares and upgrades last. What is the same on a
// quorum: shared_mutex_scenes_test.cpp, upgrade_scenes_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

template <class Lock>
constexpr bool stays_where_it_is = !std::is_copy_constructible_v<Lock> && !std::is_copy_assignable_v<Lock> &&  //
                                   !std::is_move_constructible_v<Lock> && !std::is_move_assignable_v<Lock>;
static_assert(stays_where_it_is<holdfast::shared_mutex> && stays_where_it_is<redisson_shared_mutex>);
static_assert(!std::is_destructible_v<detail::read_write_lock>, "nobody may delete one through its base");

struct sharing : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};

  std::vector<std::string> left() {
    auto keys = server.keys();
    std::erase_if(keys, [](const std::string& key) { return key.starts_with("holdfast:fence:"); });
    return keys;
  }
  template <class Wait>
  std::future<std::uint64_t> start(Wait wait) {
    return std::async(std::launch::async, wait);
  }
};

TEST_F(sharing, first_come_first_served_and_readers_in_batches) {
  lease held = acquire_exclusive(redis, "door");
  // R R W R R: two batches of readers around a writer.
  const std::string order = "RRWRR";
  std::mutex guard;
  std::string came;
  std::atomic<int> reading{0};
  std::vector<std::uint64_t> fences(order.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < order.size(); ++i) {
    threads.emplace_back([&, i] {
      const bool writes = order[i] == 'W';
      lease mine = writes ? acquire_exclusive(other, "door") : acquire_shared(other, "door");
      fences[i] = mine.fence();
      {
        const std::lock_guard lock{guard};
        came += order[i];
      }
      if (writes) {
        EXPECT_EQ(reading, 0);
        return;
      }
      ++reading;
      EXPECT_TRUE(eventually(patience, [&] { return reading >= 2; })) << "the reader next to it goes in with it";
      std::this_thread::sleep_for(100ms);  // both have seen it
      --reading;
    });
    ASSERT_TRUE(queue_reaches(server, "door", static_cast<long long>(i) + 1));
  }
  EXPECT_EQ(try_acquire_shared(redis, "door").code(), errc::held);
  held.release();
  for (auto& each : threads) each.join();
  EXPECT_EQ(came, order);
  EXPECT_GT(fences[2], std::max(fences[0], fences[1]));
  EXPECT_LT(fences[2], std::min(fences[3], fences[4]));
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
  EXPECT_EQ(other.stats().woken_by_timer, 0U);
}

TEST_F(sharing, a_writer_that_gives_up_lets_those_behind_it_in) {
  lease reader = acquire_shared(redis, "door");
  auto writer = std::async(std::launch::async,
                           [&] { return acquire_exclusive(std::nothrow, other, "door", {.wait = 700ms}).code(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  auto behind = start([&] { return acquire_shared(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 2));
  EXPECT_EQ(writer.get(), errc::timed_out);
  ASSERT_EQ(behind.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(reader.state(), lease_state::VALID) << "it never left";
  EXPECT_EQ(other.stats().woken_by_push, 1U);
}

TEST_F(sharing, an_upgrade_that_gives_up_keeps_the_share_for_its_whole_ttl) {
  lease mine = acquire_shared(redis, "door", {.ttl = 60s});
  lease last = acquire_shared(other, "door");
  EXPECT_EQ(try_upgrade(mine).code(), errc::held);
  EXPECT_EQ(upgrade(mine, {.ttl = 500ms, .wait = 150ms}).code(), errc::timed_out);
  EXPECT_TRUE(queue_reaches(server, "door", 0));
  EXPECT_EQ(server.number({"ZSCORE", "door", "#"}), 2);
  last.release();
  ASSERT_TRUE(try_upgrade(mine, {.ttl = 500ms, .renew = false}));
  EXPECT_GT(server.number({"PTTL", "door"}), 30'000) << "a share is never cut short";
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

// Writers' fences increase also when the same reader passes the same waiter again and again; and that has an end.
TEST_F(sharing, upgrades_past_one_waiter_draw_increasing_fences_and_are_bounded) {
  lease mine = acquire_shared(redis, "door");
  lease keeps = acquire_shared(redis, "door");
  auto writer = start([&] { return acquire_exclusive(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  keeps.release();
  std::uint64_t last = mine.fence();
  int passed = 0;
  result<void> done = try_upgrade(mine);
  for (; done && passed < 100; ++passed) {
    EXPECT_GT(mine.fence(), last);
    last = mine.fence();
    ASSERT_TRUE(downgrade(mine));
    done = try_upgrade(mine);
  }
  EXPECT_EQ(passed, 15);
  EXPECT_EQ(done.code(), errc::deadlock);
  mine.release();
  EXPECT_GT(writer.get(), last);
}

}  // namespace
}  // namespace holdfast::test
