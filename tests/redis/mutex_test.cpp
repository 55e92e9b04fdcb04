// holdfast::mutex as the standard's Lockable and TimedLockable, with the standard's own users of them.
#include <gtest/gtest.h>
#include <holdfast/mutex.hpp>

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

template <class T>
concept timed_lockable = requires(T lock, std::chrono::seconds d, std::chrono::system_clock::time_point t) {
  lock.lock();
  lock.unlock();
  { lock.try_lock() } -> std::same_as<bool>;
  { lock.try_lock_for(d) } -> std::same_as<bool>;
  { lock.try_lock_until(t) } -> std::same_as<bool>;
};
static_assert(timed_lockable<holdfast::mutex>);
static_assert(!std::is_copy_constructible_v<holdfast::mutex> && !std::is_move_constructible_v<holdfast::mutex>);

// Counts who is inside: never more than one.
class turnstile {
 public:
  void pass() {
    if (inside_.fetch_add(1) != 0) crowded_ = true;
    std::this_thread::yield();
    inside_.fetch_sub(1);
    ++passed_;
  }
  [[nodiscard]] bool crowded() const { return crowded_; }
  [[nodiscard]] int passed() const { return passed_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> passed_{0};
  std::atomic<bool> crowded_{false};
};

TEST(mutex, unique_lock_takes_and_gives_back_the_key) {
  redis_server server;
  client redis{at(server)};
  mutex m{redis, "door"};
  EXPECT_EQ(m.name(), "door");
  {
    std::unique_lock held{m};
    EXPECT_TRUE(held.owns_lock());
    EXPECT_EQ(server.number({"EXISTS", "door"}), 1);
    held.unlock();
    EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
    EXPECT_TRUE(held.try_lock());
    held.unlock();
    EXPECT_TRUE(held.try_lock_for(1s));
  }
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
  EXPECT_TRUE((std::unique_lock{m, std::try_to_lock}.owns_lock()));
  EXPECT_TRUE((std::unique_lock{m, 1s}.owns_lock()));
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
}

TEST(mutex, many_objects_of_many_clients_exclude_one_another) {
  redis_server server;
  turnstile gate;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      client redis{at(server)};
      mutex m{redis, "door"};
      for (int i = 0; i < 50; ++i) {
        const std::lock_guard held{m};
        gate.pass();
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_FALSE(gate.crowded());
  EXPECT_EQ(gate.passed(), 200);
}

TEST(mutex, one_object_shared_by_threads_admits_one_at_a_time) {
  redis_server server;
  client redis{at(server)};
  mutex m{redis, "door"};
  turnstile gate;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const std::lock_guard held{m};
        gate.pass();
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_FALSE(gate.crowded());
  EXPECT_EQ(gate.passed(), 200);
  EXPECT_EQ(redis.stats().contended, 0U) << "threads that share an object do not queue at the server";
}

TEST(mutex, scoped_lock_over_three_in_any_order_does_not_deadlock) {
  redis_server server;
  client one{at(server)};
  client two{at(server)};
  turnstile gate;
  const auto work = [&gate](client& redis, int order) {
    mutex a{redis, "a"};
    mutex b{redis, "b"};
    mutex c{redis, "c"};
    for (int i = 0; i < 15; ++i) {
      if (order == 0) {
        const std::scoped_lock held{a, b, c};
        gate.pass();
      } else if (order == 1) {
        const std::scoped_lock held{c, b, a};
        gate.pass();
      } else {
        const std::scoped_lock held{b, a};
        gate.pass();
      }
    }
  };
  std::thread first{work, std::ref(one), 0};
  std::thread second{work, std::ref(two), 1};
  std::thread third{work, std::ref(one), 2};
  first.join();
  second.join();
  third.join();
  EXPECT_FALSE(gate.crowded());
  EXPECT_EQ(gate.passed(), 45);
}

TEST(mutex, condition_variable_any_gives_it_up_while_waiting) {
  redis_server server;
  client redis{at(server)};
  mutex m{redis, "door"};
  std::condition_variable_any changed;
  int stage = 0;
  std::thread other{[&] {
    std::unique_lock held{m};
    changed.wait(held, [&] { return stage == 1; });
    stage = 2;
    held.unlock();
    changed.notify_all();
  }};
  std::unique_lock held{m};
  stage = 1;
  changed.notify_all();
  EXPECT_TRUE(changed.wait_for(held, patience, [&] { return stage == 2; }));
  EXPECT_EQ(server.number({"EXISTS", "door"}), 1) << "held again after the wait";
  held.unlock();
  other.join();
}

TEST(mutex, try_lock_is_false_only_when_somebody_holds_it) {
  redis_server server;
  settings how = at(server);
  how.connect_timeout = 500ms;
  client redis{how};
  client other{at(server)};
  mutex m{redis, "door"};
  mutex rival{other, "door"};
  ASSERT_TRUE(rival.try_lock());
  EXPECT_FALSE(m.try_lock());
  rival.unlock();
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock()) << "held through this very object";
  m.unlock();

  server.command({"RPUSH", "list", "x"});
  mutex wrong{redis, "list"};
  try {
    (void)wrong.try_lock();
    FAIL() << "a key of another type is not an answer";
  } catch (const error& problem) {
    EXPECT_EQ(problem.kind(), errc::wrong_type);
  }
  server.kill();
  try {
    (void)m.try_lock();
    FAIL() << "no server, no answer";
  } catch (const error& problem) {
    EXPECT_EQ(problem.kind(), errc::unreachable) << problem.what();
  }
}

TEST(mutex, a_lost_lease_still_keeps_this_objects_other_threads_out) {
  redis_server server;
  client redis{at(server)};
  mutex m{redis, "door", {.ttl = 600ms}};
  m.lock();
  const auto lost = m.lost();
  EXPECT_FALSE(lost.stop_requested());
  server.number({"DEL", "door"});
  EXPECT_TRUE(eventually(patience, [&] { return lost.stop_requested(); }));
  EXPECT_EQ(m.state(), lease_state::LOST);
  bool entered = true;
  std::thread{[&] { entered = m.try_lock(); }}.join();
  EXPECT_FALSE(entered) << "the thread inside has not left yet";
  EXPECT_EQ(m.release(), release_outcome::was_lost);
  EXPECT_TRUE(m.try_lock());
  EXPECT_EQ(m.release(), release_outcome::released);
}

TEST(mutex, tells_of_its_hold) {
  redis_server server;
  client redis{at(server)};
  mutex m{redis, "door", {.ttl = 10s}};
  EXPECT_EQ(m.fence(), 0U);
  EXPECT_EQ(m.state(), lease_state::LOST);
  EXPECT_EQ(m.remaining(), 0ns);
  EXPECT_EQ(m.extend(std::nothrow, 10s).code(), errc::lost);
  m.lock();
  const auto fence = m.fence();
  EXPECT_GT(fence, 0U);
  EXPECT_EQ(m.state(), lease_state::VALID);
  EXPECT_GT(m.remaining(), 5s);
  EXPECT_LT(m.remaining(), 10s);
  EXPECT_FALSE(m.lost().stop_requested());
  m.extend(60s);
  EXPECT_GT(m.remaining(), 50s);
  EXPECT_GT(server.number({"PTTL", "door"}), 50'000);
  m.unlock();
  EXPECT_EQ(m.fence(), fence) << "of the last hold";
  EXPECT_EQ(m.state(), lease_state::LOST);
  EXPECT_FALSE(m.lost().stop_requested()) << "a release is no loss";
  EXPECT_THROW(m.extend(10s), error);
  m.lock();
  EXPECT_GT(m.fence(), fence);
  m.unlock();
}

TEST(mutex, forms_without_exceptions_say_the_same) {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  mutex m{redis, "door", {.wait = 200ms}};
  mutex rival{other, "door", {.owner = "the rival"}};
  EXPECT_TRUE(rival.lock(std::nothrow));
  const auto tried = m.try_lock(std::nothrow);
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::held);
  EXPECT_TRUE(has(tried.failure().detail, "the rival")) << tried.failure().detail;
  EXPECT_EQ(m.try_lock_for(std::nothrow, 50ms).code(), errc::timed_out);
  EXPECT_EQ(m.lock(std::nothrow).code(), errc::timed_out);
  EXPECT_THROW(m.lock(), error);
  EXPECT_EQ(rival.release(), release_outcome::released);
  EXPECT_TRUE(m.lock(std::nothrow));
  EXPECT_TRUE(m.extend(std::nothrow, 40s));
  EXPECT_EQ(m.extend(std::nothrow, 0s).code(), errc::bad_option);
  EXPECT_EQ(m.try_lock(std::nothrow).code(), errc::held);
  m.unlock();
  EXPECT_TRUE(m.try_lock(std::nothrow));
  m.unlock();
  EXPECT_TRUE(m.try_lock_for(std::nothrow, -1s));
  m.unlock();
}

TEST(mutex, refuses_bad_names_and_options_when_made) {
  redis_server server;
  client redis{at(server)};
  const auto kind = [&](std::string_view name, const options& how) {
    try {
      mutex m{redis, name, how};
    } catch (const error& problem) {
      return problem.kind();
    }
    return errc{};
  };
  EXPECT_EQ(kind("", {}), errc::bad_name);
  EXPECT_EQ(kind("a{b", {}), errc::bad_name);
  EXPECT_EQ(kind("fine", {.ttl = 0s}), errc::bad_option);
  EXPECT_EQ(kind("fine", {}), errc{});
}

}  // namespace
}  // namespace holdfast::test
