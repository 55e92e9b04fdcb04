// The guarded cache on one server and on a quorum: who loads, who waits, and what becomes of a loader that fails, hangs
// or loses its lock. What is kept, and for how long: cache_keeping_scenes_test.cpp.
#include <holdfast/cache.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "redis/cache_scenes.hpp"

namespace holdfast::test {
namespace {

struct cache_loading : cache_scenes {};

INSTANTIATE_TEST_SUITE_P(, cache_loading, testing::Values(1, 3, 5), deployment_name);

TEST_P(cache_loading, loads_once_and_then_reads) {
  cache<std::string> values{redis};
  cache<std::string> others{other};
  int loads = 0;
  const std::string odd{"v\r\n\0x", 5};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ((i % 2 == 0 ? values : others).get_or_load("k", 90s, [&] { return ++loads, odd; }), odd);
  }
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(values.stats().hits + others.stats().hits, 4u);
  EXPECT_TRUE(servers.all([](redis_server& each) {
    const auto left = each.number({"PTTL", value_key});
    return left > 80'000 && left <= 90'000;
  })) << "a value's ttl may exceed a quorum's max_ttl";
  EXPECT_TRUE(only_the_value_is_left()) << "the lock is given back";
  EXPECT_EQ(servers.without_expiry(), std::vector<std::string>{});
}

TEST_P(cache_loading, those_who_miss_together_wait_for_one_loader_and_are_all_woken) {
  cache<int> values{redis};
  cache<int> others{other};
  std::atomic<int> loads{0};
  std::atomic<bool> go{false};
  std::vector<std::future<std::optional<int>>> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(std::async(std::launch::async, [&, i] {
      return (i % 2 == 0 ? values : others).get_or_load("k", 60s, [&] {
        ++loads;
        while (!go) std::this_thread::sleep_for(1ms);
        return 42;
      });
    }));
  }
  ASSERT_TRUE(waiting(11));
  const auto acquired = [&] { return redis.stats().acquired + other.stats().acquired; };
  const auto before = acquired();
  const auto start = std::chrono::steady_clock::now();
  go = true;
  for (auto& each : all) EXPECT_EQ(each.get(), 42);
  EXPECT_EQ(loads, 1);
  EXPECT_LT(since(start), 5s);
  EXPECT_EQ(values.stats().waits + others.stats().waits, 11u);
  EXPECT_EQ(acquired(), before) << "nobody took a turn of the lock only to read";
  EXPECT_TRUE(only_the_value_is_left());
}

TEST_P(cache_loading, the_loaders_exception_reaches_its_caller_and_the_next_waiter_loads) {
  cache<int> values{redis};
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  auto first = std::async(std::launch::async, [&] {
    return values.get_or_load("k", 60s, [&]() -> int {
      inside = true;
      while (!go) std::this_thread::sleep_for(1ms);
      throw std::domain_error{"the source is down"};
    });
  });
  ASSERT_TRUE(eventually(patience, [&] { return inside.load(); }));
  auto second = std::async(std::launch::async, [&] { return values.get_or_load("k", 60s, [] { return 2; }); });
  ASSERT_TRUE(waiting(1));
  go = true;
  EXPECT_THROW(first.get(), std::domain_error);
  EXPECT_EQ(second.get(), 2);
  EXPECT_EQ(values.stats().failed, 1u);
  EXPECT_TRUE(only_the_value_is_left());
}

TEST_P(cache_loading, an_exception_caches_nothing) {
  cache<int> values{redis};
  EXPECT_THROW(values.get_or_load("k", 60s, []() -> int { throw 7; }), int);
  EXPECT_TRUE(servers.nothing_left());
}

TEST_P(cache_loading, a_loader_that_lost_its_lock_does_not_overwrite) {
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 EXPECT_TRUE(servers.all_have(lock_key));
                                 servers.command({"DEL", lock_key});  // as if it had expired
                                 EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
                                 return 1;
                               }),
            1);
  EXPECT_EQ(values.get("k").value(), kept{2});
  EXPECT_EQ(values.stats().dropped, 1u);
}

TEST_P(cache_loading, a_loader_that_hangs_is_told_and_passed_over) {
  cache<int> values{redis, {.load_ttl = 200ms, .max_load = 400ms}};
  std::atomic<bool> inside{false};
  auto hanging = std::async(std::launch::async, [&] {
    return values.get_or_load("k", 60s, [&](const std::stop_token& lost) {
      inside = true;
      while (!lost.stop_requested()) std::this_thread::sleep_for(1ms);
      return 1;
    });
  });
  ASSERT_TRUE(eventually(patience, [&] { return inside.load(); }));
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(hanging.get(), 1) << "its caller has what it loaded";
  EXPECT_EQ(values.get("k").value(), kept{2});
}

TEST_P(cache_loading, waiting_ends_at_its_limit_and_by_its_token) {
  cache<int> values{redis, {.wait = 150ms}};
  cache<int> patient{redis};
  static_cast<void>(values.get_or_load("k", 60s, [&] {
    EXPECT_EQ(values.get_or_load(std::nothrow, "k", 60s, [] { return 1; }).code(), errc::timed_out);
    std::stop_source stop;
    auto waiter = std::async(std::launch::async, [&] {
      return patient.get_or_load(
          std::nothrow, "k", 60s, [] { return 1; }, stop.get_token());
    });
    EXPECT_TRUE(waiting(1));
    stop.request_stop();
    EXPECT_EQ(waiter.get().code(), errc::cancelled);
    return 1;
  }));
  EXPECT_TRUE(only_the_value_is_left());
}

TEST_P(cache_loading, bad_options_are_refused) {
  EXPECT_THROW((cache<int>{redis, {.stale = -1ms}}), error);
  EXPECT_THROW((cache<int>{redis, {.early = -1}}), error);
  EXPECT_THROW((cache<int>{redis, {.load_ttl = 5s, .max_load = 1s}}), error);
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load(std::nothrow, "k", 0ms, [] { return 1; }).code(), errc::bad_option);
  EXPECT_EQ(values.get_or_load(std::nothrow, "a{b", 1s, [] { return 1; }).code(), errc::bad_name);
}

}  // namespace
}  // namespace holdfast::test
