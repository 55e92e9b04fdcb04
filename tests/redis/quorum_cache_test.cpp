// The guarded cache on a quorum of real servers: who loads, who waits, what is kept; and what is never served again.
#include <holdfast/cache.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

const std::string value_key = "{cache:k}:value";
const std::string lock_key = "cache:k";

using kept = std::optional<std::optional<int>>;

class QuorumCache : public testing::TestWithParam<std::size_t> {
 protected:
  quorum_group nodes{{.nodes = GetParam(), .max_ttl = 60s}};
  std::size_t majority = GetParam() / 2 + 1;
  client redis{nodes.where()};

  // On how many nodes so many wait for the loader's lock.
  [[nodiscard]] bool waiting(long long count) {
    return eventually(patience, [&] {
      std::size_t there = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        there += nodes.node(i).number({"ZCARD", waiters_of(lock_key)}) == count ? 1 : 0;
      }
      return there == nodes.size();
    });
  }
  [[nodiscard]] bool all_have(const std::string& key) {
    return eventually(patience, [&] { return nodes.holding(key) == nodes.size(); });
  }
  [[nodiscard]] bool only_the_value_is_left() {
    return eventually(patience, [&] {
      for (const std::string& key : nodes.left_behind()) {
        if (key != value_key) return false;
      }
      return true;
    });
  }
  void kill_minority() {
    for (std::size_t i = 0; i < nodes.size() - majority; ++i) nodes.node(i).kill();
  }
};

TEST_P(QuorumCache, LoadsOnceAndThenReads) {
  cache<std::string> values{redis};
  client second{nodes.where()};
  cache<std::string> others{second};
  int loads = 0;
  const std::string odd{"v\r\n\0x", 5};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ((i % 2 == 0 ? values : others).get_or_load("k", 90s, [&] { return ++loads, odd; }), odd);
  }
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(values.stats().hits + others.stats().hits, 4u);
  EXPECT_TRUE(all_have(value_key)) << "a value's ttl may exceed max_ttl";
  EXPECT_TRUE(only_the_value_is_left());
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_LE(nodes.node(i).number({"PTTL", value_key}), 90'000);
  EXPECT_EQ(nodes.without_expiry(), std::vector<std::string>{});
}

TEST_P(QuorumCache, ThoseWhoMissTogetherWaitForOneLoaderAndAreAllWoken) {
  cache<int> values{redis};
  client second{nodes.where()};
  cache<int> others{second};
  std::atomic<int> loads{0};
  std::atomic<bool> go{false};
  const auto slow = [&] {
    ++loads;
    while (!go) std::this_thread::sleep_for(1ms);
    return 42;
  };
  auto first = std::async(std::launch::async, [&] { return values.get_or_load("k", 60s, slow); });
  ASSERT_TRUE(eventually(patience, [&] { return loads == 1; }));
  std::vector<std::future<std::optional<int>>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(
        std::async(std::launch::async, [&, i] { return (i % 2 == 0 ? values : others).get_or_load("k", 60s, slow); }));
  }
  ASSERT_TRUE(waiting(8));
  const auto start = std::chrono::steady_clock::now();
  go = true;
  EXPECT_EQ(first.get(), 42);
  for (auto& each : all) EXPECT_EQ(each.get(), 42);
  EXPECT_EQ(loads, 1);
  EXPECT_LT(since(start), 5s);
  EXPECT_TRUE(only_the_value_is_left());
}

TEST_P(QuorumCache, TheLoadersExceptionReachesItsCallerAndTheNextWaiterLoads) {
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

TEST_P(QuorumCache, PutAndEraseAreSeenByAll) {
  client second{nodes.where()};
  cache<int> values{redis};
  cache<int> others{second};
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

TEST_P(QuorumCache, EraseUnderALoaderIsNotUndoneByIt) {
  cache<int> values{redis, {.load_ttl = 1s, .max_load = 2s}};
  client second{nodes.where()};
  cache<int> others{second, {.load_ttl = 1s, .max_load = 2s}};
  EXPECT_EQ(values.get_or_load("k", 60s, [&] { return others.erase("k"), 1; }), 1);
  EXPECT_EQ(values.get("k").value(), kept{});
  EXPECT_EQ(values.stats().dropped, 1u);
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(others.get("k").value(), kept{2});
  others.erase("k");
  EXPECT_TRUE(eventually(patience, [&] { return nodes.left_behind().empty(); })) << "marks go";
}

TEST_P(QuorumCache, PutWinsOverALoaderUnderWay) {
  cache<int> values{redis};
  client second{nodes.where()};
  cache<int> others{second};
  EXPECT_EQ(values.get_or_load("k", 60s, [&] { return others.put("k", 9, 60s), 1; }), 1);
  EXPECT_EQ(values.get("k").value(), kept{9});
  EXPECT_EQ(values.stats().dropped, 1u);
}

TEST_P(QuorumCache, NothingIsKeptForItsOwnTime) {
  cache<int> values{redis, {.nothing_ttl = 300ms}};
  int asked = 0;
  const auto none = [&]() -> std::optional<int> { return ++asked, std::nullopt; };
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(values.get("k").value(), (kept{std::optional<int>{}}));
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(value_key) == 0; }));
  EXPECT_EQ(values.get_or_load("k", 60s, none), std::nullopt);
  EXPECT_EQ(asked, 2);
}

TEST_P(QuorumCache, AStaleValueIsServedWhileOneReloads) {
  cache<int> values{redis, {.stale = 60s}};
  ASSERT_EQ(values.get_or_load("k", 1ms, [] { return 1; }), 1);
  ASSERT_TRUE(all_have(value_key));
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
  EXPECT_EQ(values.stats().stale, 1u);
  go = true;
  EXPECT_EQ(loader.get(), 2);
  EXPECT_EQ(values.get_or_load("k", 60s, nobody), 2);
}

TEST_P(QuorumCache, AValueInUseIsLoadedBeforeItsEnd) {
  cache<int> values{redis};
  int loads = 0;
  const auto slow = [&] {
    std::this_thread::sleep_for(100ms);
    return ++loads;
  };
  ASSERT_EQ(values.get_or_load("k", 1s, slow), 1);
  ASSERT_TRUE(eventually(patience, [&] { return values.get_or_load("k", 1s, slow) && values.stats().early >= 2; }));
}

TEST_P(QuorumCache, ALoaderThatLostItsLockDoesNotOverwrite) {
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 EXPECT_TRUE(all_have(lock_key));
                                 for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).text({"DEL", lock_key});
                                 EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
                                 return 1;
                               }),
            1);
  EXPECT_EQ(values.get("k").value(), kept{2});
  EXPECT_EQ(values.stats().dropped, 1u);
}

TEST_P(QuorumCache, AMinorityOfNodesMayDieAtAnyTime) {
  cache<int> values{redis, {.wait = 20s}};
  values.put("k", 1, 60s);
  ASSERT_TRUE(all_have(value_key));
  kill_minority();
  EXPECT_EQ(values.get("k").value(), kept{1}) << "it was on all nodes";
  values.erase("k");
  EXPECT_EQ(values.get("k").value(), kept{});
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(values.get("k").value(), kept{2});
  values.put("k", 3, 60s);
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 4; }), 3);
  EXPECT_EQ(values.stats().dropped, 0u);
}

TEST_P(QuorumCache, WithoutAMajorityEverythingIsUnreachableInTime) {
  cache<int> values{redis, {.wait = 1s}};
  values.put("k", 1, 60s);
  for (std::size_t i = 0; i + majority <= nodes.size(); ++i) nodes.node(i).pause();
  const auto limit = nodes.where().node_timeout + 1500ms;
  auto start = std::chrono::steady_clock::now();
  const auto got = values.get("k");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable);
  EXPECT_TRUE(has(got.failure().detail, std::to_string(majority) + " are needed")) << got.failure().detail;
  EXPECT_LT(since(start), limit);
  start = std::chrono::steady_clock::now();
  const auto erased = values.erase(std::nothrow, "k");
  ASSERT_FALSE(erased);
  EXPECT_EQ(erased.code(), errc::unreachable);
  EXPECT_LT(since(start), limit);
  start = std::chrono::steady_clock::now();
  EXPECT_EQ(values.get_or_load(std::nothrow, "k", 60s, [] { return 2; }).code(), errc::unreachable);
  EXPECT_LT(since(start), limit);
  for (std::size_t i = 0; i + majority <= nodes.size(); ++i) nodes.node(i).resume();
  EXPECT_TRUE(eventually(patience, [&] { return values.erase(std::nothrow, "k").has_value(); }));
  EXPECT_EQ(values.get("k").value(), kept{});
}

// What the greatest number alone would bring back: the nodes that missed an erasure keep what it erased for longer than its mark.
TEST_P(QuorumCache, WhatAMinorityStillHasDoesNotComeBackWhenTheErasureHasExpired) {
  cache<int> values{redis, {.load_ttl = 200ms, .max_load = 300ms}};
  values.put("k", 1, 60s);
  ASSERT_TRUE(all_have(value_key));
  std::vector<std::string> old;
  for (std::size_t i = 0; i < nodes.size(); ++i) old.push_back(nodes.node(i).text({"GET", value_key}));
  values.erase("k");
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(value_key) == 0; }));
  const std::size_t few = nodes.size() - majority;
  for (std::size_t i = 0; i < few; ++i) nodes.node(i).text({"SET", value_key, old[i], "PX", "60000"});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(values.get("k").value(), kept{});
  // The test can fail: one more, and it would be what a majority keeps.
  nodes.node(few).text({"SET", value_key, old[few], "PX", "60000"});
  EXPECT_EQ(values.get("k").value(), kept{1});
}

TEST_P(QuorumCache, WaitingEndsAtItsLimitAndByItsToken) {
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

INSTANTIATE_TEST_SUITE_P(OfNodes, QuorumCache, testing::Values(3, 5));

}  // namespace
}  // namespace holdfast::test
