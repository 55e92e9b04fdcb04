// The guarded cache on a quorum while nodes are dead, still or behind: what goes on, what is refused in time, and what is
// never served again. What is the same on one server: cache_loading_scenes_test.cpp, cache_keeping_scenes_test.cpp.
#include <holdfast/cache.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

const std::string value_key = "{cache:k}:value";

using kept = std::optional<std::optional<int>>;

class QuorumCache : public testing::TestWithParam<std::size_t> {
 protected:
  quorum_group nodes{{.nodes = GetParam(), .max_ttl = 60s}};
  std::size_t majority = GetParam() / 2 + 1;
  client redis{nodes.where()};

  [[nodiscard]] bool all_have(const std::string& key) {
    return eventually(patience, [&] { return nodes.holding(key) == nodes.size(); });
  }
  void kill_minority() {
    for (std::size_t i = 0; i < nodes.size() - majority; ++i) nodes.node(i).kill();
  }
};

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

INSTANTIATE_TEST_SUITE_P(OfNodes, QuorumCache, testing::Values(3, 5));

}  // namespace
}  // namespace holdfast::test
