// Time limits and stop tokens of holdfast::mutex: as the standard says for zero and negative ones, no overflow for huge
// ones, and no difference between a lock held elsewhere and one held through the same object.
#include <gtest/gtest.h>
#include <holdfast/mutex.hpp>

#include <future>
#include <stop_token>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

using steady = std::chrono::steady_clock;

struct mutex_limits : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  mutex m{redis, "door"};
  mutex rival{other, "door"};
};

TEST_F(mutex_limits, a_limit_that_is_not_positive_tries_once) {
  for (const auto limit : {0ms, -1ms, std::chrono::milliseconds::min()}) {
    ASSERT_TRUE(m.try_lock_for(limit)) << limit.count();
    EXPECT_FALSE(rival.try_lock_for(limit)) << limit.count();
    EXPECT_FALSE(m.try_lock_for(limit)) << "through the same object";
    m.unlock();
  }
  EXPECT_EQ(other.stats().timeouts, 0U) << "it did not queue";
}

TEST_F(mutex_limits, a_time_that_is_past_tries_once) {
  for (const auto when : {steady::now(), steady::now() - 1h, steady::time_point{}, steady::time_point::min()}) {
    ASSERT_TRUE(m.try_lock_until(when));
    auto refused = std::async(std::launch::async, [&] { return rival.try_lock_until(when); });
    EXPECT_EQ(refused.wait_for(patience), std::future_status::ready) << "it waits for a time in the past";
    m.unlock();
    if (refused.get()) rival.unlock();
  }
  EXPECT_TRUE(m.try_lock_until(std::chrono::system_clock::now() - 1s));
  m.unlock();
}

TEST_F(mutex_limits, waits_for_the_limit_and_not_much_longer) {
  rival.lock();
  const auto start = steady::now();
  EXPECT_FALSE(m.try_lock_for(300ms));
  EXPECT_GE(since(start), 300ms);
  EXPECT_LE(since(start), 500ms);
  const auto again = steady::now();
  EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now() + 300ms));
  EXPECT_GE(since(again), 290ms);
  EXPECT_LE(since(again), 500ms);
  EXPECT_TRUE(queue_reaches(server, "door", 0));
  rival.unlock();
}

TEST_F(mutex_limits, waits_for_the_limit_when_held_through_the_same_object) {
  m.lock();
  const auto start = steady::now();
  EXPECT_FALSE(m.try_lock_for(200ms));
  EXPECT_GE(since(start), 200ms);
  EXPECT_LE(since(start), 400ms);
  m.unlock();
}

TEST_F(mutex_limits, huge_limits_do_not_overflow) {
  const auto waits = [&](auto&& attempt) {
    rival.lock();
    auto got = std::async(std::launch::async, attempt);
    EXPECT_TRUE(queue_reaches(server, "door", 1));
    rival.unlock();
    ASSERT_EQ(got.wait_for(patience), std::future_status::ready);
    EXPECT_TRUE(got.get());
    m.unlock();
  };
  waits([&] { return m.try_lock_for(std::chrono::hours::max()); });
  waits([&] { return m.try_lock_for(std::chrono::nanoseconds::max()); });
  waits([&] { return m.try_lock_for(std::chrono::duration<double>{1e300}); });
  waits([&] { return m.try_lock_until(steady::time_point::max()); });
  waits([&] { return m.try_lock_for(std::nothrow, std::chrono::nanoseconds::max()).has_value(); });
}

TEST_F(mutex_limits, fractions_of_a_millisecond_end_without_the_lock) {
  rival.lock();
  // Under load an answer may take longer than so short a limit; that is told as `unreachable`, and then asked again.
  const auto answered_no = [&](auto limit) {
    try {
      return !m.try_lock_for(limit);
    } catch (const error& slow) {
      EXPECT_EQ(slow.kind(), errc::unreachable) << slow.what();
      return false;
    }
  };
  EXPECT_TRUE(eventually(patience, [&] { return answered_no(std::chrono::microseconds{1}); }));
  EXPECT_TRUE(eventually(patience, [&] { return answered_no(std::chrono::duration<double, std::milli>{0.5}); }));
  rival.unlock();
}

TEST_F(mutex_limits, the_stop_token_ends_lock) {
  std::stop_source stop;
  mutex stoppable{redis, "door", {.stop = stop.get_token()}};
  rival.lock();
  auto ended = std::async(std::launch::async, [&] { return stoppable.lock(std::nothrow); });
  EXPECT_TRUE(queue_reaches(server, "door", 1));
  stop.request_stop();
  ASSERT_EQ(ended.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(ended.get().code(), errc::cancelled);
  EXPECT_TRUE(queue_reaches(server, "door", 0));
  rival.unlock();
}

TEST_F(mutex_limits, the_stop_token_ends_lock_when_held_through_the_same_object) {
  std::stop_source stop;
  mutex stoppable{redis, "door", {.stop = stop.get_token()}};
  stoppable.lock();
  auto ended = std::async(std::launch::async, [&] { return stoppable.lock(std::nothrow); });
  EXPECT_EQ(ended.wait_for(50ms), std::future_status::timeout);
  stop.request_stop();
  const bool in_time = ended.wait_for(patience) == std::future_status::ready;
  EXPECT_TRUE(in_time);
  stoppable.unlock();
  const auto how = ended.get();
  ASSERT_FALSE(how);
  EXPECT_EQ(how.code(), errc::cancelled);
}

}  // namespace
}  // namespace holdfast::test
