// The semaphore: permits, the queue for them, its capacity, and what happens to the permits of those who crash.
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
  long long in_use() { return server.number({"ZSCORE", "pool", "#"}); }
};

TEST_F(permits, k_of_n) {
  semaphore pool{redis, "pool", 3};
  EXPECT_EQ(pool.max(), 3U);
  pool.acquire();
  pool.acquire(2);
  EXPECT_EQ(in_use(), 3);
  EXPECT_TRUE(server.keys_without_expiry().empty());
  EXPECT_FALSE(pool.try_acquire());
  EXPECT_FALSE(pool.try_acquire_for(30ms));
  EXPECT_FALSE(pool.try_acquire_until(std::chrono::system_clock::now() + 30ms, 2));
  std::thread{[&] { pool.release(2); }}.join();  // any thread may
  EXPECT_TRUE(pool.try_acquire());
  pool.release(2);  // two of one
  EXPECT_EQ(pool.release(std::nothrow).code(), errc::not_owner);
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(permits, what_cannot_be_is_refused_at_once) {
  semaphore pool{redis, "pool", 3};
  const auto start = std::chrono::steady_clock::now();
  const auto refused = pool.acquire(std::nothrow, 4);
  EXPECT_EQ(refused.code(), errc::bad_option);
  EXPECT_TRUE(has(refused.failure().detail, "capacity is 3")) << refused.failure().detail;
  EXPECT_LT(since(start), 5s);
  EXPECT_EQ(pool.take(std::nothrow, 0).code(), errc::bad_option);
  EXPECT_EQ(pool.set_capacity(std::nothrow, 0).code(), errc::bad_option);
  EXPECT_THROW((semaphore{redis, "pool", 0}), error);
  EXPECT_THROW((semaphore{redis, "pool", 100'000'001}), error);
  EXPECT_THROW((semaphore{redis, "pool", 3, {.owner = "me"}}), error);
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

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

TEST_F(permits, more_capacity_lets_waiters_in_at_once) {
  semaphore pool{redis, "pool", 1};
  semaphore same{other, "pool", 1};
  lease held = pool.take();
  auto waiter = std::async(std::launch::async, [&] { return same.take().fence(); });
  ASSERT_TRUE(queue_reaches(server, "pool", 1));
  same.set_capacity(2);
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(other.stats().woken_by_push, 1U);
  EXPECT_EQ(same.max(), 2U);
  EXPECT_TRUE(server.keys_without_expiry().empty());
  EXPECT_TRUE(pool.try_acquire()) << "the other process's word counts here too";
  EXPECT_FALSE(pool.try_acquire());
  const auto found = list(redis, "*").value().locks;
  ASSERT_EQ(found.size(), 1U) << "a capacity is not a lock";
  EXPECT_EQ(found[0].name, "pool");
}

TEST_F(permits, less_capacity_lets_holders_finish_and_refuses_who_cannot_be_served) {
  semaphore pool{redis, "pool", 3};
  lease held = pool.take(3);
  auto waiter = std::async(std::launch::async, [&] {
    return semaphore{other, "pool", 3}.take(std::nothrow, 3).code();
  });
  ASSERT_TRUE(queue_reaches(server, "pool", 1));
  pool.set_capacity(1);
  EXPECT_EQ(held.state(), lease_state::VALID);
  ASSERT_TRUE(held.extend(std::nothrow, 30s)) << "it keeps what it has";
  EXPECT_EQ(waiter.get(), errc::bad_option);
  EXPECT_FALSE(pool.try_acquire());
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(pool.try_acquire());
  EXPECT_FALSE(pool.try_acquire());
}

TEST_F(permits, the_capacity_lives_as_long_as_it_is_used) {
  semaphore pool{redis, "pool", 1};
  pool.set_capacity(2);
  server.number({"PEXPIRE", "{pool}:capacity", "60000"});
  pool.acquire();
  EXPECT_GT(server.number({"PTTL", "{pool}:capacity"}), 600'000'000);
}

TEST_F(permits, what_the_object_still_has_is_given_back) {
  {
    semaphore pool{redis, "pool", 2};
    pool.acquire(2);
    EXPECT_EQ(in_use(), 2);
  }
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
