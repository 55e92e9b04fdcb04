// The cache on a quorum where nodes are apart: their counters differ, some are young or have forgotten, some cannot be reached; and what
// it needs to work at all.
#include <holdfast/cache.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "lock/names.hpp"
#include "redis/common.hpp"
#include "support/quorum_group.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

const std::string value_key = "{cache:k}:value";
const std::string lock_key = "cache:k";

using kept = std::optional<std::optional<int>>;

// The counters of the nodes are far apart, and nobody reaches them all: a number is on a majority before it is used.
TEST(QuorumCacheNumbers, ALoaderIsAboveAPutThatItsNodesDidNotDraw) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 60s}};
  const auto without = [&](std::size_t which) {
    settings made = nodes.where();
    made.hosts[which].port = 1;
    return made;
  };
  const std::string counter = lock::fence_key(lock_key);
  nodes.node(0).text({"SET", counter, "1794777060182298", "EX", "1000"});
  for (const std::size_t i : {1U, 2U}) nodes.node(i).text({"SET", counter, "1794777000000000", "EX", "1000"});
  client first{without(2)};
  cache<int>{first}.put("k", 1, 60s);
  client second{without(0)};
  cache<int> values{second};
  EXPECT_EQ(values.get("k").value(), kept{}) << "one of three has it";
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(values.stats().dropped, 0u);
  EXPECT_EQ(values.get("k").value(), kept{2});
  EXPECT_EQ(cache<int>{first}.get("k").value(), kept{}) << "what was put and what was loaded: neither is on both";
}

TEST(QuorumCacheNumbers, ALoaderThatFindsSomethingNewerThanItsFenceBeginsAnew) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 60s}};
  client redis{nodes.where()};
  client second{nodes.where()};
  cache<int> values{redis};
  cache<int> others{second};
  values.erase("k");
  std::future<std::optional<int>> waiter;
  std::atomic<int> loads{0};
  const auto failing = [&]() -> int {
    waiter = std::async(std::launch::async, [&] { return others.get_or_load("k", 60s, [&] { return ++loads; }); });
    EXPECT_TRUE(eventually(patience, [&] { return nodes.holding(waiters_of(lock_key)) == nodes.size(); }));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      // The waiter will get the lock under a smaller number: as if this came between its vote and its look.
      std::string mark = nodes.node(i).text({"GET", value_key});
      mark.replace(mark.find(' ') + 1, 2, "99");
      nodes.node(i).text({"SET", value_key, mark, "PX", "60000"});
    }
    throw std::domain_error{"the source is down"};
  };
  EXPECT_THROW(values.get_or_load("k", 60s, failing), std::domain_error);
  EXPECT_EQ(waiter.get(), 1);
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(others.stats().dropped, 0u);
  EXPECT_EQ(second.stats().acquired, 2u) << "the second time above what it found";
  EXPECT_EQ(values.get("k").value(), kept{1});
}

TEST(QuorumCacheNodes, WhatAnotherProcessHasWrittenIsForgotten) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 60s}};
  client redis{nodes.where()};
  cache<int> values{redis};
  values.put("k", 1, 60s);
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(value_key) == 3; }));
  for (std::size_t i = 0; i < 2; ++i) {
    // As a node that came back with its data.
    std::string text = nodes.node(i).text({"GET", value_key});
    text[0] = text[0] == 'a' ? 'b' : 'a';
    nodes.node(i).text({"SET", value_key, text, "PX", "60000"});
  }
  EXPECT_EQ(values.get("k").value(), kept{});
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(values.get("k").value(), kept{2});
}

TEST(QuorumCacheNodes, WhatNoCacheHasWrittenIsNamedAndLeftAlone) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 60s}};
  client redis{nodes.where()};
  cache<int> values{redis};
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).text({"SET", value_key, "hello"});
  EXPECT_EQ(values.get_or_load(std::nothrow, "k", 60s, [] { return 1; }).code(), errc::wrong_type);
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_EQ(nodes.node(i).text({"GET", value_key}), "hello");
}

// A node that forgot an erasure must not help the load that the erasure was about.
TEST(QuorumCacheGuard, ANodeThatForgotSomethingSinceTheLoadBeganDoesNotStoreIt) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1000ms}};
  client redis{nodes.where()};
  // Reaches two nodes of the three.
  settings less = nodes.where();
  less.hosts.back().port = 1;
  client cut_off{less};
  const cache_options how{.load_ttl = 900ms};
  cache<int> values{redis, how};
  cache<int> others{cut_off, how};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 EXPECT_TRUE(eventually(patience, [&] { return nodes.holding(lock_key) == 3; }));
                                 others.erase("k");
                                 EXPECT_EQ(nodes.node(2).number({"EXISTS", value_key}), 0) << "it has missed it";
                                 nodes.node(0).kill();
                                 nodes.node(0).restart();  // empty: so has this one, now
                                 // It comes of age, and the lease is renewed there.
                                 EXPECT_TRUE(eventually(patience, [&] { return nodes.holding(lock_key) == 3; }));
                                 return 1;
                               }),
            1);
  EXPECT_EQ(values.stats().dropped, 1u);
  EXPECT_EQ(values.get("k").value(), kept{});
  EXPECT_EQ(others.get("k").value(), kept{});
}

TEST(QuorumCacheGuard, YoungNodesDoNotTakePutsAndALoadWaitsForThem) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1500ms}};
  client redis{nodes.where()};
  cache<int> values{redis, {.wait = 20s, .load_ttl = 1s}};
  values.put("k", 1, 60s);
  for (const std::size_t i : {0U, 1U}) {
    nodes.node(i).kill();
    nodes.node(i).restart();
  }
  result<void> erased;
  ASSERT_TRUE(eventually(patience, [&] {
    erased = values.erase(std::nothrow, "k");
    return erased || erased.code() != errc::unreachable;  // until it has connected again
  }));
  ASSERT_FALSE(erased);
  EXPECT_EQ(erased.code(), errc::server_busy);
  EXPECT_TRUE(has(erased.failure().detail, "may not vote yet")) << erased.failure().detail;
  EXPECT_EQ(values.get("k").value(), kept{}) << "one of three has it";
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(values.get("k").value(), kept{2});
}

TEST(QuorumCacheGuard, AFreshQuorumThatHasBeenUpForLongIsOpenedByAPut) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 500ms, .fresh = true}};
  std::this_thread::sleep_for(3200ms);  // whole seconds of uptime, one of them lost to rounding
  client redis{nodes.where()};
  cache<int> values{redis, {.load_ttl = 400ms}};
  values.put("k", 1, 60s);
  EXPECT_EQ(values.get("k").value(), kept{1});
}

TEST(QuorumCacheOptions, NeedsNoRightsButThoseOfAQuorumsLockAndItsValue) {
  std::string user = "user app on >app-secret resetkeys resetchannels -@all ~{app:*}:value";
  for (const auto* each : {&needed_rights, &optional_rights, &quorum_rights}) {
    for (const std::string& one : *each) user += " " + one;
  }
  quorum_group nodes{{.nodes = 3, .max_ttl = 60s, .each = {.users = {user}}}};
  settings where = nodes.where();
  where.user = "app";
  where.password = "app-secret";
  client redis{where};
  cache<int> values{redis, {.prefix = "app:"}};
  values.put("k", 1, 60s);
  values.erase("k");
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_EQ(values.get("k").value(), kept{2});
  cache<int> foreign{redis, {.prefix = "other:"}};
  const auto got = foreign.erase(std::nothrow, "k");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::refused) << got.failure().detail;
}

TEST(QuorumCacheOptions, ALoadTtlBeyondMaxTtlIsRefused) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 2000ms}};
  client redis{nodes.where()};
  try {
    const cache<int> values{redis};
    ADD_FAILURE() << "not refused";
  } catch (const error& problem) {
    EXPECT_EQ(problem.kind(), errc::bad_option);
    EXPECT_TRUE(has(problem.what(), "load_ttl")) << problem.what();
  }
  cache<int> values{redis, {.load_ttl = 2000ms}};
  settings other = nodes.where();
  other.max_ttl = 5000ms;
  client odd{other};
  cache<int> theirs{odd, {.load_ttl = 2000ms}};
  const auto got = theirs.erase(std::nothrow, "k");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::bad_option);
  EXPECT_TRUE(has(got.failure().detail, "2000 ms on the quorum")) << got.failure().detail;
}

}  // namespace
}  // namespace holdfast::test
