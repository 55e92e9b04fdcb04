// The semaphore on one server: its queue, which nobody passes but the dead. What is the same on a quorum:
// semaphore_scenes_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

struct permits : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};

  std::vector<std::string> left() {
    auto keys = server.keys();
    std::erase_if(keys, [](const std::string& key) { return key.starts_with("holdfast:fence:"); });
    return keys;
  }
};

TEST_F(permits, whoever_wants_many_is_not_overtaken_by_those_who_want_few) {
  semaphore pool{redis, "pool", 3};
  semaphore same{other, "pool", 3};
  lease held = pool.take(1);
  auto many = std::async(std::launch::async, [&] { return same.take(3).fence(); });
  ASSERT_TRUE(queue_reaches(server, "pool", 1));
  EXPECT_FALSE(pool.try_acquire()) << "two are free, but somebody waits";
  auto few = std::async(std::launch::async, [&] { return pool.take(1).fence(); });
  ASSERT_TRUE(queue_reaches(server, "pool", 2));
  held.release();
  ASSERT_EQ(many.wait_for(patience), std::future_status::ready);
  ASSERT_EQ(few.wait_for(patience), std::future_status::ready);
  EXPECT_LT(many.get(), few.get());
  EXPECT_EQ(other.stats().woken_by_push, 1U);
  EXPECT_EQ(redis.stats().woken_by_push, 1U);
}

TEST_F(permits, never_more_than_n_inside) {
  constexpr int n = 3;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      semaphore pool{t % 2 == 0 ? redis : other, "pool", n};
      for (int i = 0; i < 25; ++i) {
        const auto k = static_cast<std::uint64_t>(1 + (t + i) % n);
        const lease held = pool.take(k);
        const int now = inside += static_cast<int>(k);
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::sleep_for(100us);
        inside -= static_cast<int>(k);
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(most, n);
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(permits, a_crashed_waiter_stops_nobody) {
  semaphore pool{redis, "pool", 2};
  lease held = pool.take(1);
  process waiter{{helper("sharer"), server.url(), "pool", "30000", "0", "2/2"}};
  ASSERT_EQ(waiter.read_line(patience), "asking");
  ASSERT_TRUE(queue_reaches(server, "pool", 1));
  waiter.kill();
  EXPECT_TRUE(pool.try_acquire_for(patience)) << "one is free, and the one before is dead";
  EXPECT_EQ(held.state(), lease_state::VALID);
}

}  // namespace
}  // namespace holdfast::test
