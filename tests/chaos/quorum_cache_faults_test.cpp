// The cache on a quorum whose nodes are cut off, stopped and restarted, and with processes that die: what was erased or replaced is never
// served again, callers get their values, locks are given back.
#include <gtest/gtest.h>
#include <holdfast/cache.hpp>

#include <atomic>
#include <future>
#include <iostream>
#include <thread>

#include "chaos/quorum_cache_ground.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using kept = std::optional<std::optional<int>>;

const std::string lock_key = "cache:k";
const std::string value_key = "{cache:k}:value";

TEST(QuorumCacheFaults, TwoBlackHoledNodesOfFiveHinderNobody) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  cache<int> values{redis, {.load_ttl = 2s}};
  values.put("k", 0, 60s);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::black_hole(direction::both));
  EXPECT_EQ(values.get("k").value(), kept{0});
  for (int i = 1; i < 10; ++i) {
    values.erase("k");
    EXPECT_EQ(values.get("k").value(), kept{});
    EXPECT_EQ(values.get_or_load("k", 60s, [&] { return i; }), i);
    EXPECT_EQ(values.get("k").value(), kept{i});
    values.put("k", -i, 60s);
    EXPECT_EQ(values.get("k").value(), kept{-i});
  }
  EXPECT_EQ(values.stats().dropped, 0u);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::cut());
  EXPECT_TRUE(no_lock_is_left(nodes));
  EXPECT_EQ(values.get("k").value(), kept{-9}) << "whatever the two that missed it have";
}

TEST(QuorumCacheFaults, TheAnswersToStoringAreLost) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  client direct{[&] {
    settings made = nodes.where();
    for (std::size_t i = 0; i < nodes.size(); ++i) made.hosts[i].port = nodes.node(i).port();
    return made;
  }()};
  cache<int> values{redis, {.load_ttl = 2s}};
  cache<int> near{direct, {.load_ttl = 2s}};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 for (std::size_t i = 0; i < 3; ++i) {
                                   nodes.door(i).set(fault::black_hole(direction::to_client));
                                 }
                                 return 1;
                               }),
            1)
      << "the caller has what it loaded";
  EXPECT_EQ(values.stats().dropped, 1u) << "as far as it knows";
  EXPECT_EQ(near.get("k").value(), kept{1}) << "it was executed";
  EXPECT_TRUE(no_lock_is_left(nodes));
}

TEST(QuorumCacheFaults, AStoreThatReachesAMinorityIsNotSeen) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  cache<int> values{redis, {.load_ttl = 500ms}};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 for (std::size_t i = 0; i < 3; ++i) {
                                   nodes.door(i).set(fault::black_hole(direction::to_server));
                                 }
                                 return 1;
                               }),
            1);
  EXPECT_EQ(values.stats().dropped, 1u);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  EXPECT_EQ(nodes.holding(value_key), 2u);
  result<kept> got{kept{}};
  EXPECT_TRUE(eventually(patience, [&] { return (got = values.get("k")).has_value(); }));
  EXPECT_EQ(*got, kept{});
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_TRUE(no_lock_is_left(nodes));
}

TEST(QuorumCacheCrashes, TheLoaderDiesAndAWaiterLoads) {
  quorum_group nodes;
  auto dying = fork_child([&] {
    client redis{nodes.where()};
    cache<int>{redis, {.load_ttl = 1s}}.get_or_load("k", 60s, [] {
      std::cout << "loading" << std::endl;
      std::this_thread::sleep_for(60s);
      return 1;
    });
    return 0;
  });
  ASSERT_EQ(dying.read_line(10s), "loading");
  client redis{nodes.where()};
  cache<int> values{redis, {.wait = 20s, .load_ttl = 1s}};
  auto waiter = std::async(std::launch::async, [&] { return values.get_or_load("k", 60s, [] { return 2; }); });
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("{cache:k}:waiters") == 5; }));
  dying.kill();
  EXPECT_EQ(waiter.get(), 2);
  EXPECT_TRUE(no_lock_is_left(nodes));
}

TEST(QuorumCacheCrashes, AWaiterDiesAndNobodyMinds) {
  quorum_group nodes;
  auto go = fork_child([&] {
    client redis{nodes.where()};
    std::string line;
    std::getline(std::cin, line);
    cache<int>{redis, {.load_ttl = 2s}}.get_or_load("k", 60s, [] { return 2; });
    return 0;
  });
  client redis{nodes.where()};
  cache<int> values{redis, {.load_ttl = 2s}};
  EXPECT_EQ(
      values.get_or_load("k", 60s,
                         [&] {
                           go.write("wait\n");
                           EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("{cache:k}:waiters") == 5; }));
                           go.kill();
                           EXPECT_TRUE(go.wait(10s));
                           return 1;
                         }),
      1);
  EXPECT_EQ(values.get("k").value(), kept{1});
  EXPECT_TRUE(no_lock_is_left(nodes));
}

}  // namespace
}  // namespace holdfast::test
