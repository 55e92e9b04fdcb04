// Waiting in the queue, with everybody alive: order, hand-off by push, no overtaking, no trace afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

struct waiting : testing::Test {
  redis_server server;
  client holder{at(server)};
  client redis{at(server)};
  client other{at(server)};
};

TEST_F(waiting, first_come_first_served) {
  constexpr int count = 24;
  lease held = holder.acquire("door");
  std::mutex guard;
  std::vector<int> order;
  std::vector<std::uint64_t> fences;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const lease mine = (i % 2 == 0 ? redis : other).acquire("door");
      const std::lock_guard lock{guard};
      order.push_back(i);
      fences.push_back(mine.fence());
    });
    ASSERT_TRUE(queue_reaches(server, "door", i + 1)) << "one after the other";
  }
  EXPECT_TRUE(eventually(
      patience, [&] { return redis.stats().waiting_now + other.stats().waiting_now == std::uint64_t{count}; }));
  held.release();
  for (auto& each : threads) each.join();
  ASSERT_EQ(order.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  for (std::size_t i = 1; i < fences.size(); ++i) EXPECT_GT(fences[i], fences[i - 1]);
  EXPECT_EQ(server.number({"EXISTS", "door", waiters_of("door"), "{door}:seen"}), 0);
  EXPECT_EQ(redis.stats().waiting_now + other.stats().waiting_now, 0U);
}

TEST_F(waiting, a_newcomer_does_not_overtake) {
  for (int i = 0; i < 5; ++i) {
    lease held = holder.acquire("door");
    lease first;
    std::thread waiter{[&] { first = redis.acquire("door"); }};
    ASSERT_TRUE(queue_reaches(server, "door", 1));
    server.number({"DEL", "door"});  // free without a release, and the newcomer is the first to ask
    const auto tried = other.try_acquire("door");
    waiter.join();
    ASSERT_FALSE(tried) << "the lock went to the one who asked instead of the one who waited";
    EXPECT_EQ(tried.code(), errc::held);
    EXPECT_EQ(server.text({"GET", "door"}), first.owner());
  }
}

TEST_F(waiting, a_newcomer_that_waits_comes_last) {
  lease held = holder.acquire("door");
  std::atomic<int> next{1};
  std::atomic<int> first_came{0};
  std::thread first{[&] {
    const lease mine = redis.acquire("door");
    first_came = next++;
  }};
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  server.number({"DEL", "door"});
  const lease mine = other.acquire("door");
  EXPECT_EQ(next++, 2);
  first.join();
  EXPECT_EQ(first_came, 1);
}

TEST_F(waiting, hand_offs_come_by_push) {
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i) {
    lease held = holder.acquire("door");
    auto next = std::async(std::launch::async, [&] { return redis.acquire("door").fence(); });
    ASSERT_TRUE(queue_reaches(server, "door", 1));
    const auto fence = held.fence();
    EXPECT_EQ(held.release(), release_outcome::released);
    ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
    EXPECT_GT(next.get(), fence);
  }
  const auto got = redis.stats();
  EXPECT_EQ(got.handoffs_received, static_cast<std::uint64_t>(rounds));
  EXPECT_EQ(got.woken_by_push, static_cast<std::uint64_t>(rounds));
  EXPECT_EQ(got.woken_by_timer, 0U);
  EXPECT_EQ(holder.stats().handoffs_given, static_cast<std::uint64_t>(rounds));
}

TEST_F(waiting, waiters_of_one_process_have_one_entry_each) {
  lease held = holder.acquire("door");
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] { (void)redis.acquire("door").release(); });
  }
  EXPECT_TRUE(queue_reaches(server, "door", 16));
  EXPECT_EQ(server.list({"PUBSUB", "CHANNELS", "holdfast:inbox:????????????????"}).size(), 3U)
      << "one inbox per client";
  held.release();
  for (auto& each : threads) each.join();
  EXPECT_TRUE(queue_reaches(server, "door", 0));
  EXPECT_EQ(redis.stats().acquired, 16U);
}

TEST_F(waiting, one_that_times_out_or_is_cancelled_leaves_the_queue_going) {
  lease held = holder.acquire("door");
  std::stop_source stop;
  auto gives_up =
      std::async(std::launch::async, [&] { return redis.acquire(std::nothrow, "door", {.wait = 300ms}).code(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  auto stopped = std::async(std::launch::async,
                            [&] { return redis.acquire(std::nothrow, "door", {.stop = stop.get_token()}).code(); });
  EXPECT_TRUE(eventually(patience, [&] { return redis.stats().waiting_now + redis.stats().timeouts >= 2; }));
  auto last = std::async(std::launch::async, [&] { return other.acquire("door").fence(); });
  EXPECT_TRUE(eventually(patience, [&] { return other.stats().waiting_now == 1; }));
  EXPECT_EQ(gives_up.get(), errc::timed_out);
  stop.request_stop();
  EXPECT_EQ(stopped.get(), errc::cancelled);
  EXPECT_TRUE(queue_reaches(server, "door", 1)) << "only the last one is left";
  const auto start = std::chrono::steady_clock::now();
  held.release();
  ASSERT_EQ(last.wait_for(patience), std::future_status::ready);
  EXPECT_LT(since(start), 500ms) << "those who left cost nothing";
  EXPECT_TRUE(queue_reaches(server, "door", 0));
  EXPECT_TRUE(key_goes(server, "door"));
}

TEST_F(waiting, one_that_gives_up_just_when_it_is_granted_passes_the_lock_on) {
  // Release and limit coincide as closely as threads allow; whoever wins, the lock must come free.
  for (int i = 0; i < 20; ++i) {
    lease held = holder.acquire("door");
    auto hasty =
        std::async(std::launch::async, [&] { return redis.acquire(std::nothrow, "door", {.wait = 30ms}).has_value(); });
    std::this_thread::sleep_for(29ms);
    held.release();
    (void)hasty.get();
    const auto after = other.acquire(std::nothrow, "door", {.wait = 2s});
    ASSERT_TRUE(after) << "round " << i << ": " << after.failure().detail;
  }
  EXPECT_TRUE(queue_reaches(server, "door", 0));
}

TEST_F(waiting, long_waits_survive_on_heartbeats) {
  lease held = holder.acquire("door");
  auto next = std::async(std::launch::async, [&] { return redis.acquire("door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  std::this_thread::sleep_for(4s);  // longer than a silent waiter is kept
  EXPECT_EQ(server.number({"HLEN", "{door}:seen"}), 1);
  EXPECT_TRUE(server.keys_without_expiry().empty());
  const auto start = std::chrono::steady_clock::now();
  held.release();
  ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
  EXPECT_LT(since(start), 500ms);
  EXPECT_EQ(redis.stats().woken_by_push, 1U);
  EXPECT_TRUE(eventually(patience, [&] { return server.number({"EXISTS", "{door}:seen"}) == 0; }));
}

}  // namespace
}  // namespace holdfast::test
