// D13 (Redisson): one chain of renewals for all shards; one bad shard starved the rest, and leases on healthy nodes ran out.
#include <gtest/gtest.h>

#include <thread>

#include "regress/ground.hpp"
#include "support/cluster_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D13_OneBadShardDoesNotStarveTheOthers) {
  test::cluster_group group{3, 0, {.config = {"cluster-require-full-coverage no"}}};
  client redis{quiet(group.url())};
  constexpr auto ttl = 1500ms;
  std::vector<lease> healthy;
  std::vector<lease> sick;
  for (int i = 0; i < 10; ++i) {
    sick.push_back(redis.acquire(group.key_at(0, "d13:" + std::to_string(i) + ":"), {.ttl = ttl}));
    healthy.push_back(redis.acquire(group.key_at(1, "d13:" + std::to_string(i) + ":"), {.ttl = ttl}));
    healthy.push_back(redis.acquire(group.key_at(2, "d13:" + std::to_string(i) + ":"), {.ttl = ttl}));
  }
  group.node(0).pause();  // it takes connections and answers nothing
  const auto before = redis.stats().renewals;
  const auto end = steady_clock::now() + 3 * ttl;
  while (steady_clock::now() < end) {
    for (const lease& each : healthy) ASSERT_EQ(each.state(), lease_state::VALID) << each.name();
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_GE(redis.stats().renewals - before, 3 * healthy.size()) << "renewals went on";
  for (const lease& each : sick) EXPECT_EQ(each.state(), lease_state::LOST) << "and nobody pretends";
  // Nor does a caller wait behind the sick node.
  const auto start = steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    lease held = redis.acquire(group.key_at(1, "d13:more:" + std::to_string(i) + ":"));
    EXPECT_EQ(held.release(), release_outcome::released);
  }
  EXPECT_LT(steady_clock::now() - start, 5s);
  group.node(0).resume();
}

}  // namespace
}  // namespace holdfast::regress
