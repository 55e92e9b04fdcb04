// options::replicas in a Cluster: every primary's replicas are its own, and waited for over a connection of its own.
#include <gtest/gtest.h>

#include <future>

#include "redis/common.hpp"
#include "support/cluster_group.hpp"

namespace holdfast::test {
namespace {

class cluster_replicas : public testing::Test {
 protected:
  static settings where(cluster_group& group) { return with_timeout(at(group.url()), 8s); }
  // Nobody fails over here, however busy the machine is or long a node is stopped.
  static redis_options steady() { return {.config = {"cluster-node-timeout 30000"}}; }
  static std::string read(redis_server& replica, const std::string& key) {
    static_cast<void>(replica.text({"READONLY"}));
    return replica.text({"GET", key});
  }
  static long long blocked(redis_server& server) {
    const std::string info = server.text({"INFO", "clients"});
    return std::stoll(info.substr(info.find("blocked_clients:") + 16));
  }
};

TEST_F(cluster_replicas, of_each_primary_have_its_locks_and_a_stalled_one_concerns_no_other) {
  cluster_group group{3, 1, steady()};
  client redis{where(group)};
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name = group.key_at(i, "door");
      lease held = redis.acquire(name, {.replicas = round % 2 == 0 ? replica_count{1} : majority});
      EXPECT_EQ(read(group.node(i + 3), name), std::string{held.owner()}) << "node " << i << ", round " << round;
      EXPECT_EQ(held.release(), release_outcome::released);
    }
  }
  settings hasty = where(group);
  hasty.command_timeout = 1s;
  client other{hasty};
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(other.try_acquire(group.key_at(i, "door"), {.replicas = 1}));
  group.node(3).pause();
  const std::string stalled = group.key_at(0, "door");
  const auto got = other.try_acquire(stalled, {.ttl = 60s, .replicas = 1});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.failure().code, errc::not_replicated);
  EXPECT_TRUE(has(got.failure().detail, "0 of 1 replicas")) << got.failure().detail;
  EXPECT_TRUE(key_goes(group.node(0), stalled));
  // While one primary's connection is blocked, another's locks are confirmed.
  auto slow = std::async(std::launch::async, [&] { return redis.try_acquire(stalled, {.replicas = 1}).has_value(); });
  ASSERT_TRUE(eventually(patience, [&] { return blocked(group.node(0)) == 1; }));
  for (const std::size_t i : {1U, 2U}) EXPECT_TRUE(redis.try_acquire(group.key_at(i, "door"), {.replicas = 1}));
  EXPECT_TRUE(redis.try_acquire(group.key_at(0, "unreplicated"))) << "nor does WAIT block what does not ask for it";
  EXPECT_EQ(slow.wait_for(0s), std::future_status::timeout) << "nothing was shown: WAIT was over already";
  group.node(3).resume();
  EXPECT_TRUE(slow.get());
}

// It is granted by one node, stands in line for WAIT there, and meanwhile its slot goes to another.
TEST_F(cluster_replicas, are_those_of_the_node_to_which_the_slot_has_moved) {
  cluster_group group{3, 1, steady()};
  client redis{where(group)};
  const std::string first = group.key_at(0, "first");
  const std::string moves = group.key_at(0, "moves");
  ASSERT_NE(cluster_group::slot_of(first), cluster_group::slot_of(moves));
  ASSERT_TRUE(redis.try_acquire(first, {.replicas = 1}));
  group.node(3).pause();
  auto blocks = std::async(std::launch::async, [&] { return redis.acquire(std::nothrow, first, {.replicas = 1}); });
  ASSERT_TRUE(eventually(patience, [&] { return blocked(group.node(0)) == 1; }));
  auto got = std::async(std::launch::async, [&] { return redis.try_acquire(moves, {.replicas = 1}); });
  ASSERT_TRUE(eventually(patience, [&] { return group.node(0).number({"EXISTS", moves}) == 1; }));
  group.move_slot(cluster_group::slot_of(moves), 0, 1);
  const auto held = got.get();
  ASSERT_TRUE(held) << held.failure().detail;
  EXPECT_EQ(read(group.node(4), moves), std::string{held->owner()});
  group.node(3).resume();
  static_cast<void>(blocks.get());
}

}  // namespace
}  // namespace holdfast::test
