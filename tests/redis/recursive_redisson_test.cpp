// recursive_mutex and Redisson's RLock on the same name: each keeps the other out, each release lets the other in, and
// neither starves behind the other's waiters. Java's side is tests/support/redisson.hpp.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include "redis/common.hpp"
#include "support/redisson.hpp"

namespace holdfast::test {
namespace {

using steady = std::chrono::steady_clock;

struct recursive_and_redisson : testing::Test {
  redis_server server;
  client redis{at(server)};
  recursive_mutex ours{redis, "door"};
  redisson_lock java{server, "door"};

  long long listeners() { return std::stoll(server.list({"PUBSUB", "NUMSUB", java.channel()}).at(1)); }
  // One of ours has it: Java's next lock() finds it taken.
  bool ours_has_it() {
    return eventually(patience, [&] { return server.number({"HEXISTS", "door", "holdfast"}) == 1; });
  }
  // Java waits in a thread of its own; the value is when it had the lock.
  std::future<steady::time_point> java_waits() {
    auto waiting = std::async(std::launch::async, [this] {
      EXPECT_TRUE(java.lock(30s, 20s));
      return steady::now();
    });
    EXPECT_TRUE(eventually(patience, [&] { return listeners() == 1; }));
    return waiting;
  }
};

TEST_F(recursive_and_redisson, java_keeps_us_out) {
  ASSERT_TRUE(java.try_lock(30s));
  const auto refused = ours.try_lock(std::nothrow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::held);
  EXPECT_TRUE(has(refused.failure().detail, java.owner())) << refused.failure().detail;
  EXPECT_FALSE(ours.try_lock_for(200ms));
  EXPECT_EQ(java.hold_count(), 1);
  ASSERT_TRUE(java.try_lock(30s)) << "Java enters again";
  EXPECT_EQ(java.unlock(), false);
  EXPECT_FALSE(ours.try_lock()) << "still inside";
  EXPECT_EQ(java.unlock(), true);
  EXPECT_TRUE(ours.try_lock());
  ours.unlock();
}

TEST_F(recursive_and_redisson, we_keep_java_out) {
  ours.lock();
  ours.lock();
  const auto held = java.acquire(30s);
  ASSERT_TRUE(held) << "Java is told how long";
  EXPECT_GT(*held, 25s);
  EXPECT_LE(*held, 30s);
  EXPECT_TRUE(java.is_locked());
  EXPECT_EQ(java.hold_count(), 0);
  EXPECT_FALSE(java.renew(30s));
  EXPECT_EQ(java.unlock(), std::nullopt) << "Java throws: not its lock";
  ours.unlock();
  EXPECT_FALSE(java.try_lock(30s)) << "an inner unlock gives nothing back";
  ours.unlock();
  EXPECT_FALSE(java.is_locked());
  EXPECT_TRUE(java.try_lock(30s));
  EXPECT_EQ(java.hold_count(), 1);
}

TEST_F(recursive_and_redisson, our_release_wakes_java_by_its_channel) {
  ours.lock();
  ours.lock();
  auto waiting = java_waits();
  ours.unlock();
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  ours.unlock();
  ASSERT_EQ(waiting.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(java.woken(), 1) << "by the message, not by the 30 s of our lease";
  EXPECT_EQ(java.unlock(), true);
}

TEST_F(recursive_and_redisson, our_waiter_follows_javas_release_soon) {
  ASSERT_TRUE(java.try_lock(30s));
  auto came = std::async(std::launch::async, [&] {
    const std::scoped_lock mine{ours};
    return steady::now();
  });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  const auto released = steady::now();
  EXPECT_EQ(java.unlock(), true);
  ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
  EXPECT_LE(came.get() - released, 200ms) << "it looks every 25 to 75 ms";
}

TEST_F(recursive_and_redisson, javas_lock_without_its_process_is_followed_at_its_expiry) {
  ASSERT_TRUE(java.try_lock(400ms));
  const auto start = steady::now();
  const std::scoped_lock mine{ours};
  EXPECT_LE(since(start), 600ms);
  EXPECT_EQ(java.unlock(), std::nullopt);
  EXPECT_EQ(ours.state(), lease_state::VALID) << "Java's late unlock touches nothing";
}

// Four clients of ours queue again and again; Java wants the lock, and gets its turn.
TEST_F(recursive_and_redisson, java_does_not_starve_behind_our_queue) {
  std::deque<client> clients;
  std::vector<std::jthread> busy;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(at(server));
    busy.emplace_back([&mine = clients.back()](const std::stop_token& stop) {
      recursive_mutex door{mine, "door"};
      while (!stop.stop_requested()) {
        const std::scoped_lock hold{door};
        std::this_thread::sleep_for(1ms);
      }
    });
  }
  ASSERT_TRUE(eventually(patience, [&] { return server.number({"ZCARD", waiters_of("door")}) >= 3; }));
  for (int turn = 0; turn < 10; ++turn) {
    ASSERT_TRUE(ours_has_it());
    const auto start = steady::now();
    ASSERT_TRUE(java.lock(30s, 20s)) << "turn " << turn;
    EXPECT_LT(since(start), 5s) << "eight holds of 1 ms, and what a busy machine adds";
    EXPECT_EQ(java.hold_count(), 1);
    EXPECT_EQ(java.unlock(), true);
  }
  for (auto& each : busy) each.request_stop();
  for (auto& each : busy) each.join();
  EXPECT_GE(java.woken(), 5) << "by turns, not by luck";
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
}

// One client of ours takes it again at once after each release: no queue, yet Java must get its turn.
TEST_F(recursive_and_redisson, java_does_not_starve_behind_a_tight_loop) {
  std::atomic<std::uint64_t> rounds{0};
  std::jthread busy{[&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::scoped_lock hold{ours};
      ++rounds;
    }
  }};
  for (int turn = 0; turn < 5; ++turn) {
    EXPECT_TRUE(ours_has_it());
    EXPECT_TRUE(java.lock(30s, 20s)) << "turn " << turn;
    EXPECT_EQ(java.unlock(), true);
  }
  busy.request_stop();
  busy.join();
  EXPECT_GT(rounds, 0U);
}

// The turn is a matter of 20 ms: when Java does not come after all, ours go on.
TEST_F(recursive_and_redisson, a_turn_that_java_does_not_take_is_short) {
  redis_connection deaf = server.connect();
  static_cast<void>(deaf.command({"SUBSCRIBE", java.channel()}));
  client second{at(server)};
  recursive_mutex theirs{second, "door"};
  std::atomic<int> left{200};
  const auto work = [&](recursive_mutex& door) {
    while (left-- > 0) {
      const std::scoped_lock hold{door};
      std::this_thread::sleep_for(1ms);
    }
  };
  const auto start = steady::now();
  std::thread other{[&] { work(theirs); }};
  work(ours);
  other.join();
  EXPECT_LT(since(start), 8s) << "200 holds of 1 ms and 25 turns of 20 ms";
  EXPECT_GE(since(start), 25 * 20ms) << "there were turns";
}

TEST_F(recursive_and_redisson, nobody_listens_so_nobody_is_counted) {
  client second{at(server)};
  recursive_mutex theirs{second, "door"};
  for (int i = 0; i < 20; ++i) {
    ours.lock();
    auto next = std::async(std::launch::async, [&] { const std::scoped_lock hold{theirs}; });
    ASSERT_TRUE(queue_reaches(server, "door", 1));
    ours.unlock();
    next.get();
  }
  EXPECT_EQ(redis.stats().handoffs_given, 20U) << "each handed over directly";
  EXPECT_EQ(server.number({"EXISTS", "{door}:seen"}), 0);
}

}  // namespace
}  // namespace holdfast::test
