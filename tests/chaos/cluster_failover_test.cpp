// A Redis Cluster whose primaries die or stand still, with locks held and waited for: SIGKILL, SIGSTOP and the cluster's own
// failover. When slots move: cluster_faults_test.cpp.
#include <future>

#include "chaos/cluster_ground.hpp"

namespace holdfast::test {
namespace {

TEST(cluster_failover, a_primary_dies_and_its_leases_are_in_jeopardy_until_its_replica_has_answered) {
  // Or the cluster itself would refuse the other shards as well, while one is not served.
  cluster_group group{3, 1, {.config = {"cluster-require-full-coverage no"}}};
  client redis{in_cluster(group)};
  const std::string name = group.key_at(1, "failover:");
  const std::string elsewhere = group.key_at(0, "failover:");
  // Longer than any failover takes, on a busy machine as well; and so long that no renewal in its turn is what verifies it.
  lease held = redis.acquire(name, {.ttl = 300s});
  lease bystander = redis.acquire(elsewhere, {.ttl = 3s});
  // What makes sure of it is another page (options::replicas).
  static_cast<void>(group.node(4).text({"READONLY"}));
  ASSERT_TRUE(eventually(cluster_patience, [&] {
    return group.node(4).text({"GET", name}) == held.owner();
  })) << "the replica has it";
  settings patient = in_cluster(group);
  patient.connect_timeout = 60s;  // longer than a failover takes
  client other{patient};
  auto waiting = std::async(std::launch::async, [&] { return other.acquire(name, {.ttl = 30s, .wait = 60s}); });
  ASSERT_TRUE(eventually(cluster_patience, [&] { return other.stats().waiting_now == 1; }));

  group.node(1).kill();
  EXPECT_TRUE(eventually(5s, [&] { return held.state() == lease_state::JEOPARDY; }));
  const bool over = eventually(cluster_patience, [&] {
    EXPECT_EQ(bystander.state(), lease_state::VALID);
    return group.wait_failover(1, 0ms);
  });
  ASSERT_TRUE(over);
  ASSERT_TRUE(eventually(cluster_patience, [&] { return held.state() == lease_state::VALID; }))
      << to_string(held.state()) << "; to be verified by the new primary";
  EXPECT_EQ(group.node(4).text({"GET", name}), held.owner());
  EXPECT_EQ(held.release(), release_outcome::released);
  lease next = waiting.get();
  EXPECT_GT(next.fence(), held.fence());
  EXPECT_EQ(next.release(), release_outcome::released);
  EXPECT_EQ(bystander.release(), release_outcome::released);
}

TEST(cluster_failover, a_lease_that_the_new_primary_does_not_know_is_lost_by_failover) {
  cluster_group group;
  client redis{in_cluster(group)};
  const std::string name = group.key_at(1, "forgotten:");
  // The replica is cut off, and sleeps so that it cannot come back: what happens now it will never hear of.
  group.node(4).pause();
  static_cast<void>(group.node(1).command({"CLIENT", "KILL", "TYPE", "replica"}));
  std::promise<loss_cause> lost;
  lease held = redis.acquire(name, {.ttl = 60s, .on_lost = [&](const loss& what) { lost.set_value(what.cause); }});
  group.node(1).kill();
  group.node(4).resume();
  auto cause = lost.get_future();
  ASSERT_EQ(cause.wait_for(30s), std::future_status::ready);
  EXPECT_EQ(cause.get(), loss_cause::failover);
}

// What one of several primaries does to all who hold, wait and come, and that the rest of the cluster goes on.
class cluster_failover_under_load : public ::testing::TestWithParam<bool> {};

TEST_P(cluster_failover_under_load, fences_rise_and_everybody_is_back_in_time) {
  const bool killed = GetParam();
  cluster_group group{3, 1, {.config = {"cluster-require-full-coverage no"}}};
  crowd people{group, names("dying:", 9), 2, 4};
  for (const std::size_t victim : {0U, 1U}) {
    ASSERT_TRUE(eventually(cluster_patience, [&, then = people.taken()] { return people.taken() > then + 50; }));
    killed ? group.node(victim).kill() : group.node(victim).pause();
    ASSERT_TRUE(group.wait_failover(victim, 30s));
    EXPECT_TRUE(eventually(cluster_patience, [&, then = people.taken()] { return people.taken() > then + 100; }));
    killed ? group.node(victim).restart() : group.node(victim).resume();
    ASSERT_TRUE(group.wait_replica(victim, 30s)) << "it comes back as the replica of its replica";
  }
  EXPECT_TRUE(eventually(cluster_patience, [&, then = people.taken()] { return people.taken() > then + 100; }));
  people.stop();
  // A failover may forget what was not replicated (docs/guarantees.md): two may believe to hold, and the resource tells them
  // apart, because the later one has the higher fence.
  EXPECT_EQ(people.inversions(), 0);
  EXPECT_LE(people.latest(), 200ms) << "a waiter came back late";
  EXPECT_EQ(group.keys_without_expiry(), std::vector<std::string>{});
  EXPECT_TRUE(eventually(cluster_patience, [&] { return left_over(group).empty(); }));
}

INSTANTIATE_TEST_SUITE_P(, cluster_failover_under_load, testing::Bool(),
                         [](const auto& shown) { return shown.param ? "killed" : "stopped"; });

}  // namespace
}  // namespace holdfast::test
