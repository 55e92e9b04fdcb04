// The guarded cache: who loads, who waits, what is kept and for how long.
#include <holdfast/cache_json.hpp>

#include <gtest/gtest.h>
#include <boost/describe.hpp>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {

struct account {
  std::string name;
  std::int64_t cents = 0;
  timestamp since;
  std::vector<double> rates;
  friend bool operator==(const account&, const account&) = default;
};
BOOST_DESCRIBE_STRUCT(account, (), (name, cents, since, rates))

namespace {

const std::string value_key = "{cache:k}:value";

struct cache_test : testing::Test {
  redis_server server;
  client redis{at(server)};

  // Waits until somebody holds the loader's lock and so many wait for it.
  [[nodiscard]] bool waiting(long long count) { return queue_reaches(server, "cache:k", count); }
};

TEST_F(cache_test, loads_once_and_then_reads) {
  cache<std::string> values{redis};
  int loads = 0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(values.get_or_load("k", 60s,
                                 [&] {
                                   return ++loads, std::string{"v\r\n\0x", 5};
                                 }),
              (std::string{"v\r\n\0x", 5}));
  }
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(values.stats().hits, 4u);
  EXPECT_EQ(server.number({"EXISTS", "cache:k", "{cache:k}:waiters"}), 0) << "the lock is given back";
  const auto left = server.number({"PTTL", value_key});
  EXPECT_GT(left, 50'000);
  EXPECT_LE(left, 60'000);
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
}

TEST_F(cache_test, those_who_miss_together_wait_for_one_loader_and_are_all_woken) {
  cache<int> values{redis};
  std::atomic<int> loads{0};
  std::atomic<bool> go{false};
  std::vector<std::future<std::optional<int>>> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(std::async(std::launch::async, [&] {
      return values.get_or_load("k", 60s, [&] {
        ++loads;
        while (!go) std::this_thread::sleep_for(1ms);
        return 42;
      });
    }));
  }
  ASSERT_TRUE(waiting(11));
  const auto before = redis.stats().acquired;
  go = true;
  for (auto& each : all) EXPECT_EQ(each.get(), 42);
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(values.stats().waits, 11u);
  EXPECT_EQ(redis.stats().acquired, before) << "nobody took a turn of the lock only to read";
  EXPECT_EQ(server.number({"EXISTS", "cache:k", "{cache:k}:waiters", "{cache:k}:seen"}), 0);
}

TEST_F(cache_test, the_loaders_exception_reaches_its_caller_and_the_next_waiter_loads) {
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
  EXPECT_EQ(server.number({"EXISTS", "cache:k"}), 0);
}

TEST_F(cache_test, an_exception_caches_nothing) {
  cache<int> values{redis};
  EXPECT_THROW(values.get_or_load("k", 60s, []() -> int { throw 7; }), int);
  EXPECT_EQ(server.number({"EXISTS", value_key, "cache:k"}), 0);
}

TEST_F(cache_test, nothing_is_kept_for_its_own_time) {
  cache<int> values{redis, {.nothing_ttl = 300ms}};
  int asked = 0;
  const auto none = [&]() -> std::optional<int> { return ++asked, std::nullopt; };
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(asked, 1);
  EXPECT_LE(server.number({"PTTL", value_key}), 300);
  ASSERT_TRUE(key_goes(server, value_key));
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(asked, 2);

  cache<int> forgetful{redis, {.prefix = "other:", .nothing_ttl = 0ms}};
  EXPECT_EQ(forgetful.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(forgetful.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(asked, 4);
}

TEST_F(cache_test, a_stale_value_is_served_while_one_reloads) {
  cache<int> values{redis, {.stale = 60s}};
  ASSERT_EQ(values.get_or_load("k", 1ms, [] { return 1; }), 1);
  ASSERT_TRUE(eventually(patience, [&] { return server.number({"PTTL", value_key}) <= 60'000; }));
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  auto loader = std::async(std::launch::async, [&] {
    return values.get_or_load("k", 60s, [&] {
      inside = true;
      while (!go) std::this_thread::sleep_for(1ms);
      return 2;
    });
  });
  ASSERT_TRUE(eventually(patience, [&] { return inside.load(); }));
  const auto nobody = []() -> int { throw std::logic_error{"somebody is loading already"}; };
  EXPECT_EQ(values.get_or_load("k", 60s, nobody), 1);
  EXPECT_EQ(values.get_or_load("k", 60s, nobody), 1);
  EXPECT_EQ(values.stats().stale, 2u);
  go = true;
  EXPECT_EQ(loader.get(), 2);
  EXPECT_EQ(values.get_or_load("k", 60s, nobody), 2);
}

TEST_F(cache_test, a_value_in_use_is_loaded_before_its_end) {
  cache<int> values{redis};
  int loads = 0;
  const auto slow = [&] {
    std::this_thread::sleep_for(100ms);
    return ++loads;
  };
  ASSERT_EQ(values.get_or_load("k", 1s, slow), 1);
  const auto end = std::chrono::steady_clock::now() + 3s;
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_TRUE(values.get_or_load("k", 1s, slow));
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GE(values.stats().early, 2u);
  // All but the first, where the machine is not so busy that nobody gets to read for two loading times.
  EXPECT_GE(values.stats().early * 2, values.stats().loads);

  cache<int> lazy{redis, {.prefix = "lazy:", .early = 0}};
  ASSERT_TRUE(lazy.get_or_load("k", 400ms, slow));
  while (lazy.stats().loads < 2) ASSERT_TRUE(lazy.get_or_load("k", 400ms, slow));
  EXPECT_EQ(lazy.stats().early, 0u);
}

TEST_F(cache_test, a_loader_that_lost_its_lock_does_not_overwrite) {
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 server.text({"DEL", "cache:k"});  // as if it had expired
                                 EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
                                 return 1;
                               }),
            1);
  EXPECT_EQ(values.get("k").value(), std::optional<std::optional<int>>{2});
  EXPECT_EQ(values.stats().dropped, 1u);
}

TEST_F(cache_test, a_loader_that_hangs_is_told_and_passed_over) {
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
  EXPECT_EQ(values.get("k").value(), std::optional<std::optional<int>>{2});
}

TEST_F(cache_test, erase_under_a_loader_is_not_undone_by_it) {
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load("k", 60s, [&] { return values.erase("k"), 1; }), 1);
  EXPECT_EQ(values.get("k").value(), std::nullopt);
  EXPECT_EQ(values.stats().dropped, 1u);
  // The next loader has seen the erasure: what it brings is kept, though its place in the queue may be older.
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(values.get("k").value(), std::optional<std::optional<int>>{2});
  values.erase("k");
  EXPECT_EQ(server.number({"EXISTS", value_key}), 0) << "nobody loads: nothing needs to be remembered";
}

TEST_F(cache_test, a_waiter_from_before_an_erasure_keeps_what_it_loads) {
  cache<int> values{redis};
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  auto first = std::async(std::launch::async, [&] {
    return values.get_or_load("k", 60s, [&] {
      inside = true;
      while (!go) std::this_thread::sleep_for(1ms);
      return 1;
    });
  });
  ASSERT_TRUE(eventually(patience, [&] { return inside.load(); }));
  auto second = std::async(std::launch::async, [&] { return values.get_or_load("k", 60s, [] { return 2; }); });
  ASSERT_TRUE(waiting(1));
  values.erase("k");
  go = true;
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(second.get(), 2);
  EXPECT_EQ(values.get("k").value(), std::optional<std::optional<int>>{2});
}

TEST_F(cache_test, put_wins_over_a_loader_under_way) {
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load("k", 60s, [&] { return values.put("k", 9, 60s), 1; }), 1);
  EXPECT_EQ(values.get("k").value(), std::optional<std::optional<int>>{9});
}

TEST_F(cache_test, waiting_ends_at_its_limit_and_by_its_token) {
  cache<int> values{redis, {.wait = 150ms}};
  cache<int> patient{redis};
  static_cast<void>(values.get_or_load("k", 60s, [&] {
    const auto limited = values.get_or_load(std::nothrow, "k", 60s, [] { return 1; });
    EXPECT_EQ(limited.code(), errc::timed_out);
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
  EXPECT_EQ(server.number({"EXISTS", "{cache:k}:waiters"}), 0);
}

TEST_F(cache_test, structured_values_with_times_survive_the_round_trip) {
  cache<account, json_codec<account>> accounts{redis};
  const timestamp_value then = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h + 30min + 250'001us;
  const account ada{"Ada \"x\" ü", -5, then, {0.1, 1e300}};
  EXPECT_EQ(accounts.get_or_load("k", 60s, [&] { return ada; }), ada);
  EXPECT_EQ(accounts.get("k").value(), std::optional{std::optional{ada}});
  EXPECT_TRUE(has(server.text({"GET", value_key}), "\"since\":\"2026-03-01T12:30:00.250001Z\""));

  cache<timestamp_value> times{redis, {.prefix = "time:"}};
  static_cast<void>(times.get_or_load("k", 60s, [&] { return then; }));
  EXPECT_EQ(times.get("k").value(), std::optional{std::optional{then}});
}

TEST_F(cache_test, what_this_program_cannot_read_is_loaded_again) {
  cache<std::string> texts{redis};
  cache<int> numbers{redis};
  ASSERT_EQ(texts.get_or_load("k", 60s, [] { return std::string{"not a number"}; }), "not a number");
  EXPECT_EQ(numbers.get_or_load("k", 60s, [] { return 3; }), 3);
  EXPECT_EQ(texts.get("k").value(), std::optional<std::optional<std::string>>{"3"});
}

TEST_F(cache_test, what_no_cache_has_written_is_named_and_left_alone) {
  cache<int> values{redis};
  server.text({"SET", value_key, "hello"});
  EXPECT_EQ(values.get_or_load(std::nothrow, "k", 60s, [] { return 1; }).code(), errc::wrong_type);
  EXPECT_EQ(server.text({"GET", value_key}), "hello");
}

TEST_F(cache_test, bad_options_are_refused) {
  EXPECT_THROW((cache<int>{redis, {.stale = -1ms}}), error);
  EXPECT_THROW((cache<int>{redis, {.early = -1}}), error);
  EXPECT_THROW((cache<int>{redis, {.load_ttl = 5s, .max_load = 1s}}), error);
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load(std::nothrow, "k", 0ms, [] { return 1; }).code(), errc::bad_option);
  EXPECT_EQ(values.get_or_load(std::nothrow, "a{b", 1s, [] { return 1; }).code(), errc::bad_name);
}

}  // namespace
}  // namespace holdfast::test
