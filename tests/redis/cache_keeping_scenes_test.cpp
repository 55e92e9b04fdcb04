// The guarded cache on one server and on a quorum: what is kept and for how long, what erasing and putting do, and what
// values may be. Who loads and who waits: cache_loading_scenes_test.cpp.
#include <holdfast/cache_json.hpp>

#include <gtest/gtest.h>
#include <boost/describe.hpp>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "redis/cache_scenes.hpp"

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

struct cache_keeping : cache_scenes {};

INSTANTIATE_TEST_SUITE_P(, cache_keeping, testing::Values(1, 3, 5), deployment_name);

TEST_P(cache_keeping, nothing_is_kept_for_its_own_time) {
  cache<int> values{redis, {.nothing_ttl = 300ms}};
  int asked = 0;
  const auto none = [&]() -> std::optional<int> { return ++asked, std::nullopt; };
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(values.get("k").value(), (kept{std::optional<int>{}}));
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(asked, 1);
  for (std::size_t i = 0; i < servers.size(); ++i) EXPECT_LE(servers[i].number({"PTTL", value_key}), 300);
  ASSERT_TRUE(servers.key_goes(value_key));
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(asked, 2);

  cache<int> forgetful{redis, {.prefix = "other:", .nothing_ttl = 0ms}};
  EXPECT_EQ(forgetful.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(forgetful.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(asked, 4);
}

TEST_P(cache_keeping, a_stale_value_is_served_while_one_reloads) {
  cache<int> values{redis, {.stale = 60s}};
  ASSERT_EQ(values.get_or_load("k", 1ms, [] { return 1; }), 1);
  ASSERT_TRUE(servers.all_have(value_key));
  ASSERT_TRUE(eventually(patience, [&] { return !values.get("k").value(); }));
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

TEST_P(cache_keeping, a_value_in_use_is_loaded_before_its_end) {
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

TEST_P(cache_keeping, put_and_erase_are_seen_by_all) {
  cache<int> values{redis};
  cache<int> others{other};
  EXPECT_EQ(others.get("k").value(), kept{});
  for (int i = 0; i < 5; ++i) {
    (i % 2 == 0 ? values : others).put("k", i, 60s);
    EXPECT_EQ(others.get("k").value(), kept{i});
    EXPECT_EQ(values.get("k").value(), kept{i});
  }
  others.erase("k");
  EXPECT_EQ(values.get("k").value(), kept{});
  others.erase("k");
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 7; }), 7) << "a loader from after the erasure";
  EXPECT_EQ(others.get("k").value(), kept{7});
  EXPECT_EQ(values.stats().dropped, 0u);
}

TEST_P(cache_keeping, erase_under_a_loader_is_not_undone_by_it) {
  // A quorum remembers an erasure for as long as anybody may load.
  cache<int> values{redis, {.load_ttl = 1s, .max_load = 2s}};
  cache<int> others{other, {.load_ttl = 1s, .max_load = 2s}};
  EXPECT_EQ(values.get_or_load("k", 60s, [&] { return others.erase("k"), 1; }), 1);
  EXPECT_EQ(values.get("k").value(), kept{});
  EXPECT_EQ(values.stats().dropped, 1u);
  // The next loader has seen the erasure: what it brings is kept, though its place in the queue may be older.
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(others.get("k").value(), kept{2});
  others.erase("k");
  EXPECT_TRUE(servers.nothing_left()) << "nobody loads: nothing needs to be remembered";
}

TEST_P(cache_keeping, a_waiter_from_before_an_erasure_keeps_what_it_loads) {
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
  EXPECT_EQ(values.get("k").value(), kept{2});
}

TEST_P(cache_keeping, put_wins_over_a_loader_under_way) {
  cache<int> values{redis};
  cache<int> others{other};
  EXPECT_EQ(values.get_or_load("k", 60s, [&] { return others.put("k", 9, 60s), 1; }), 1);
  EXPECT_EQ(values.get("k").value(), kept{9});
  EXPECT_EQ(values.stats().dropped, 1u);
}

TEST_P(cache_keeping, structured_values_with_times_survive_the_round_trip) {
  cache<account, json_codec<account>> accounts{redis};
  const timestamp_value then = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h + 30min + 250'001us;
  const account ada{"Ada \"x\" ü", -5, then, {0.1, 1e300}};
  EXPECT_EQ(accounts.get_or_load("k", 60s, [&] { return ada; }), ada);
  EXPECT_EQ(accounts.get("k").value(), std::optional{std::optional{ada}});
  EXPECT_TRUE(servers.all([](redis_server& each) {
    return has(each.command({"GET", value_key}).text, "\"since\":\"2026-03-01T12:30:00.250001Z\"");
  }));

  cache<timestamp_value> times{redis, {.prefix = "time:"}};
  static_cast<void>(times.get_or_load("k", 60s, [&] { return then; }));
  EXPECT_EQ(times.get("k").value(), std::optional{std::optional{then}});
}

TEST_P(cache_keeping, what_this_program_cannot_read_is_loaded_again) {
  cache<std::string> texts{redis};
  cache<int> numbers{redis};
  ASSERT_EQ(texts.get_or_load("k", 60s, [] { return std::string{"not a number"}; }), "not a number");
  EXPECT_EQ(numbers.get_or_load("k", 60s, [] { return 3; }), 3);
  EXPECT_EQ(texts.get("k").value(), std::optional<std::optional<std::string>>{"3"});
}

TEST_P(cache_keeping, what_no_cache_has_written_is_named_and_left_alone) {
  cache<int> values{redis};
  servers.command({"SET", value_key, "hello"});
  EXPECT_EQ(values.get_or_load(std::nothrow, "k", 60s, [] { return 1; }).code(), errc::wrong_type);
  EXPECT_TRUE(servers.all([](redis_server& each) { return each.text({"GET", value_key}) == "hello"; }));
}

}  // namespace
}  // namespace holdfast::test
