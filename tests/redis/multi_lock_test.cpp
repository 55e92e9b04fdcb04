// Several locks at once: all or none, in whatever order they are named, and one signal for the loss of any.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <random>
#include <thread>

#include "redis/common.hpp"
#include "support/boottime.hpp"
#include "support/history.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using names = std::vector<std::string>;

struct multi_lock_test : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};

  void expect_nothing_left() {
    for (const auto& each : server.keys()) EXPECT_TRUE(has(each, "holdfast:fence:")) << each;
    EXPECT_EQ(server.keys_without_expiry(), names{});
  }
};

TEST_F(multi_lock_test, takes_all_in_one_step_and_gives_all_back) {
  static_cast<void>(redis.ping());
  auto held = acquire_all(redis, {"b", "a", "c", "a"});
  EXPECT_EQ(held.names(), (names{"a", "b", "c"}));
  EXPECT_EQ(scripts_run(server), 2) << "EVALSHA, and EVAL because the server did not know it";
  for (const char* each : {"a", "b", "c"}) {
    EXPECT_GT(held.fence(each), 0u);
    EXPECT_EQ(other.try_acquire(each).code(), errc::held);
  }
  EXPECT_EQ(held.fence("d"), 0u);
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_GT(held.remaining(), 20s);
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  expect_nothing_left();
}

TEST_F(multi_lock_test, fences_of_a_member_increase_with_those_of_plain_holders) {
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const auto many = acquire_all(redis, {"a", "b"}).fence("a");
    EXPECT_GT(many, last);
    last = other.acquire("a").fence();
    EXPECT_GT(last, many);
  }
}

TEST_F(multi_lock_test, a_try_takes_nothing_when_one_is_held) {
  auto held = other.acquire("b");
  const auto tried = try_acquire_all(redis, {"c", "b", "a"});
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::held);
  EXPECT_TRUE(has(tried.failure().detail, "b is held by ")) << tried.failure().detail;
  EXPECT_EQ(server.number({"EXISTS", "a", "c"}), 0);
  held.release();
  EXPECT_TRUE(try_acquire_all(redis, {"c", "b", "a"}));
}

TEST_F(multi_lock_test, waits_for_those_that_are_held_and_does_not_pass_who_waits) {
  auto held = other.acquire("b");
  auto first = std::async(std::launch::async, [&] { return other.acquire("b"); });
  ASSERT_TRUE(queue_reaches(server, "b", 1));
  auto all = std::async(std::launch::async, [&] { return acquire_all(redis, {"a", "b"}); });
  ASSERT_TRUE(queue_reaches(server, "b", 2));
  held.release();
  auto second = first.get();
  EXPECT_NE(all.wait_for(50ms), std::future_status::ready);
  second.release();
  EXPECT_TRUE(all.get());
  EXPECT_TRUE(eventually(patience, [&] { return server.number({"EXISTS", "a", "b"}) == 0; }));
}

TEST_F(multi_lock_test, gives_back_what_it_has_at_the_limit_and_when_cancelled) {
  auto held = other.acquire("b");
  EXPECT_EQ(acquire_all(std::nothrow, redis, {"a", "b", "c"}, {.wait = 100ms}).code(), errc::timed_out);
  EXPECT_EQ(server.number({"EXISTS", "a", "c"}), 0);
  EXPECT_TRUE(queue_reaches(server, "b", 0));

  std::stop_source stop;
  auto waiter = std::async(std::launch::async, [&] {
    return acquire_all(std::nothrow, redis, {"a", "b", "c"}, {.stop = stop.get_token()}).code();
  });
  ASSERT_TRUE(queue_reaches(server, "b", 1));
  EXPECT_EQ(server.number({"EXISTS", "a"}), 1);
  stop.request_stop();
  EXPECT_EQ(waiter.get(), errc::cancelled);
  EXPECT_EQ(server.number({"EXISTS", "a", "c"}), 0);
  EXPECT_TRUE(queue_reaches(server, "b", 0));
}

TEST_F(multi_lock_test, the_loss_of_any_member_is_told_once) {
  std::atomic<int> told{0};
  std::string which;
  auto held = acquire_all(redis, {"a", "b", "c"}, {.ttl = 600ms, .on_lost = [&](const loss& what) {
                                                     which = what.name;
                                                     ++told;
                                                   }});
  const auto token = held.lost();
  EXPECT_FALSE(token.stop_requested());
  server.text({"DEL", "b"});
  ASSERT_TRUE(eventually(patience, [&] { return told.load() == 1; }));
  EXPECT_EQ(which, "b");
  EXPECT_TRUE(token.stop_requested());
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(server.number({"EXISTS", "a", "c"}), 2) << "the others are kept until the release";
  server.text({"DEL", "c"});
  ASSERT_TRUE(eventually(patience, [&] { return redis.stats().of(loss_cause::gone) == 2; }));
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  EXPECT_EQ(told, 1);
  expect_nothing_left();
}

TEST_F(multi_lock_test, a_member_that_is_lost_while_waiting_for_another_is_taken_again) {
  auto held = other.acquire("b");
  std::atomic<int> told{0};
  auto waiter = std::async(std::launch::async, [&] {
    return acquire_all(redis, {"a", "b"}, {.ttl = 600ms, .on_lost = [&](const loss&) { ++told; }});
  });
  ASSERT_TRUE(queue_reaches(server, "b", 1));
  server.text({"DEL", "a"});
  ASSERT_TRUE(eventually(patience, [&] { return redis.stats().of(loss_cause::gone) == 1; }));
  held.release();
  auto all = waiter.get();
  EXPECT_EQ(all.state(), lease_state::VALID);
  EXPECT_EQ(server.number({"EXISTS", "a", "b"}), 2);
  EXPECT_EQ(told, 0) << "nobody had it yet";
}

TEST_F(multi_lock_test, is_renewed_and_extended) {
  auto held = acquire_all(redis, {"a", "b"}, {.ttl = 400ms});
  std::this_thread::sleep_for(900ms);
  EXPECT_TRUE(held);
  held.extend(30s);
  EXPECT_GT(held.remaining(), 20s);
  EXPECT_GT(server.number({"PTTL", "b"}), 20'000);
}

TEST_F(multi_lock_test, is_lockable) {
  multi_lock both{redis, {"x", "y"}};
  {
    const std::lock_guard hold{both};
    EXPECT_EQ(server.number({"EXISTS", "x", "y"}), 2);
    auto elsewhere = std::async(std::launch::async, [&] { return both.try_lock(); });
    EXPECT_FALSE(elsewhere.get());
  }
  EXPECT_EQ(server.number({"EXISTS", "x", "y"}), 0);
  std::unique_lock hold{both, 1s};
  EXPECT_TRUE(hold.owns_lock());
  multi_lock same{other, {"y", "z"}};
  EXPECT_FALSE(same.try_lock_for(50ms));
  EXPECT_FALSE(same.try_lock());
  EXPECT_GT(both.fence("x"), 0u);
}

TEST_F(multi_lock_test, refuses_what_makes_no_sense) {
  EXPECT_EQ(try_acquire_all(redis, {}).code(), errc::bad_option);
  EXPECT_EQ(try_acquire_all(redis, {"a", "b{"}).code(), errc::bad_name);
  EXPECT_EQ(try_acquire_all(redis, {"a"}, {.wait = 1s}).code(), errc::bad_option);
  names many;
  for (int i = 0; i < 65; ++i) many.push_back("n" + std::to_string(i));
  EXPECT_EQ(try_acquire_all(redis, many).code(), errc::bad_option);
  server.text({"HSET", "hash", "a", "b"});
  EXPECT_EQ(try_acquire_all(redis, {"a", "hash"}).code(), errc::wrong_type);
  EXPECT_EQ(server.number({"EXISTS", "a"}), 0);
}

// Processes and threads take random subsets in random order, by all forms; each name's history shows no overlap.
TEST(multi_lock_deadlock, random_subsets_in_random_order_all_get_through) {
  constexpr int processes = 5;
  constexpr int threads = 3;
  constexpr int rounds = 25;
  constexpr int locks = 5;
  redis_server server;
  const temp_dir dir;
  const auto log_of = [&](const std::string& name) { return dir.file("history-" + name); };
  const auto work = [&](int seed) {
    client redis{at(server)};
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        std::mt19937 random{static_cast<unsigned>(seed * 100 + t)};
        const auto me = static_cast<std::uint64_t>(::getpid()) * 1000 + static_cast<std::uint64_t>(t);
        for (int i = 0; i < rounds; ++i) {
          names all;
          for (int n = 0; n < locks; ++n) all.push_back("n" + std::to_string(n));
          std::shuffle(all.begin(), all.end(), random);
          all.resize(1 + random() % 3);
          auto held = acquire_all(redis, all);
          const auto start = boottime_ns();
          if (random() % 4 == 0) std::this_thread::sleep_for(1ms);
          const auto end = boottime_ns();
          for (const auto& name : all) history{log_of(name)}.append({me, held.fence(name), start, end});
          if (held.release() != release_outcome::released) std::abort();
        }
      });
    }
    for (auto& each : workers) each.join();
    return 0;
  };
  std::vector<process> children;
  for (int p = 0; p < processes; ++p) children.push_back(fork_child([&, p] { return work(p); }));
  for (auto& each : children) EXPECT_EQ(each.wait(60s), (exit_status{0, 0}));
  std::size_t holds = 0;
  for (int n = 0; n < locks; ++n) {
    const auto past = history{log_of("n" + std::to_string(n))}.read();
    holds += past.size();
    EXPECT_EQ(find_violation(past), std::nullopt) << "n" << n;
  }
  EXPECT_GE(holds, static_cast<std::size_t>(processes * threads * rounds));
  for (const auto& each : server.keys()) EXPECT_TRUE(has(each, "holdfast:fence:")) << each;
}

}  // namespace
}  // namespace holdfast::test
