// A Redis Cluster whose slots move and whose nodes die, with locks held and waited for. Real nodes, MIGRATE, SIGKILL and the
// cluster's own failover. Evidence: the histories of what every holder believed.
#include <future>

#include "chaos/cluster_ground.hpp"

namespace holdfast::test {
namespace {

TEST(cluster_faults, a_slot_moves_while_its_lock_is_held_and_waited_for) {
  cluster_group group{3, 0};
  client holder{in_cluster(group)};
  client waiter{in_cluster(group)};
  const std::string name = group.key_at(0, "moving:");
  const auto slot = cluster_group::slot_of(name);
  std::atomic<int> losses{0};
  lease held = holder.acquire(name, {.ttl = 3s, .on_lost = [&](const loss&) { ++losses; }});
  auto waiting = std::async(std::launch::async, [&] { return waiter.acquire(name, {.ttl = 3s, .wait = 30s}); });
  ASSERT_TRUE(eventually(patience, [&] { return waiter.stats().waiting_now == 1; }));

  // Half-way for longer than a whole lease: it must be renewed where it happens to be.
  group.move_slot(slot, 0, 2, [&] { std::this_thread::sleep_for(4s); });
  EXPECT_EQ(losses, 0);
  ASSERT_TRUE(eventually(patience, [&] { return held.state() == lease_state::VALID; }));
  EXPECT_EQ(group.node(2).text({"GET", name}), held.owner());
  // The waiter stands in the queue of the new node and listens there.
  const auto listening = [&] {
    return group.node(2).list({"PUBSUB", "SHARDCHANNELS"}).size() == 1 &&
           group.node(2).number({"ZCARD", "{" + name + "}:waiters"}) == 1;
  };
  ASSERT_TRUE(eventually(patience, listening));
  std::this_thread::sleep_for(300ms);  // whatever it asked because of the move is answered
  const auto before = waiter.stats().woken_by_push;
  EXPECT_EQ(held.release(), release_outcome::released);
  lease next = waiting.get();
  EXPECT_EQ(waiter.stats().woken_by_push, before + 1);
  EXPECT_GT(next.fence(), held.fence());
  EXPECT_EQ(next.release(), release_outcome::released);
  EXPECT_TRUE(eventually(patience, [&] { return left_over(group).empty(); }));
}

TEST(cluster_faults, a_lock_can_be_given_back_and_taken_while_its_slot_moves) {
  cluster_group group{3, 0};
  client redis{in_cluster(group, 2s)};
  const std::string name = group.key_at(0, "busy:");
  lease held = redis.acquire(name, {.ttl = 5s});
  std::future<release_outcome> released;
  std::future<result<lease>> taken;
  client other{in_cluster(group, 2s)};
  group.move_slot(cluster_group::slot_of(name), 0, 1, [&] {
    released = std::async(std::launch::async, [&] { return held.release(); });
    taken = std::async(std::launch::async, [&] { return other.acquire(std::nothrow, name, {.wait = 20s}); });
    std::this_thread::sleep_for(300ms);
  });
  EXPECT_EQ(released.get(), release_outcome::released);
  auto got = taken.get();
  ASSERT_TRUE(got.has_value()) << got.failure().detail;
  EXPECT_GT(got->fence(), held.fence());
  EXPECT_EQ(group.node(1).text({"GET", name}), got->owner());
}

TEST(cluster_faults, resharding_under_load_breaks_no_exclusion_and_leaves_nobody_waiting) {
  cluster_group group{3, 0};
  const auto all = names("load:", 12);
  crowd people{group, all, 3, 4};
  ASSERT_TRUE(eventually(patience, [&] { return people.taken() > 50; }));
  for (int round = 0; round < 3; ++round) {
    for (const std::string& each : all) {
      const std::size_t from = group.primary_of(each);
      group.move_slot(cluster_group::slot_of(each), from, (from + 1) % 3);
    }
  }
  const auto moved = people.taken();
  EXPECT_TRUE(eventually(patience, [&] { return people.taken() > moved + 100; })) << "work goes on";
  people.stop();
  EXPECT_EQ(people.violation(), std::nullopt);
  EXPECT_LT(people.longest_wait(), 15s) << "a waiter was stuck";
  EXPECT_TRUE(eventually(patience, [&] { return left_over(group).empty(); }));
  EXPECT_EQ(group.keys_without_expiry(), std::vector<std::string>{});
}

TEST(cluster_faults, a_primary_dies_and_its_leases_are_in_jeopardy_until_its_replica_has_answered) {
  // Or the cluster itself would refuse the other shards as well, while one is not served.
  cluster_group group{3, 1, {.config = {"cluster-require-full-coverage no"}}};
  client redis{in_cluster(group)};
  const std::string name = group.key_at(1, "failover:");
  const std::string elsewhere = group.key_at(0, "failover:");
  lease held = redis.acquire(name, {.ttl = 30s});
  lease bystander = redis.acquire(elsewhere, {.ttl = 3s});
  // The replica has it: what WAIT is for, which is another page.
  ASSERT_EQ(group.node(1).number({"WAIT", "1", "5000"}), 1);
  client other{in_cluster(group)};
  auto waiting = std::async(std::launch::async, [&] { return other.acquire(name, {.ttl = 30s, .wait = 60s}); });
  ASSERT_TRUE(eventually(patience, [&] { return other.stats().waiting_now == 1; }));

  group.node(1).kill();
  EXPECT_TRUE(eventually(5s, [&] { return held.state() == lease_state::JEOPARDY; }));
  const bool over = eventually(patience, [&] {
    EXPECT_EQ(bystander.state(), lease_state::VALID);
    return group.wait_failover(1, 0ms);
  });
  ASSERT_TRUE(over);
  ASSERT_TRUE(eventually(patience, [&] { return held.state() == lease_state::VALID; }))
      << "verified by the new primary";
  EXPECT_EQ(group.node(4).text({"GET", name}), held.owner());
  EXPECT_EQ(held.release(), release_outcome::released);
  lease next = waiting.get();
  EXPECT_GT(next.fence(), held.fence());
  EXPECT_EQ(next.release(), release_outcome::released);
  EXPECT_EQ(bystander.release(), release_outcome::released);
}

TEST(cluster_faults, a_lease_that_the_new_primary_does_not_know_is_lost_by_failover) {
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

TEST(cluster_faults, primaries_die_one_after_the_other_under_load) {
  cluster_group group;
  crowd people{group, names("dying:", 9), 2, 4};
  ASSERT_TRUE(eventually(patience, [&] { return people.taken() > 50; }));
  group.node(0).kill();
  ASSERT_TRUE(group.wait_failover(0, 30s));
  auto then = people.taken();
  EXPECT_TRUE(eventually(patience, [&] { return people.taken() > then + 100; }));
  group.node(0).restart();
  people.stop();
  EXPECT_LT(people.longest_wait(), 15s) << "a waiter was stuck";
  // A failover may forget what was not replicated (docs/guarantees.md): two may believe to hold, and the fences tell them apart.
  EXPECT_EQ(people.fence_violation(), std::nullopt);
  EXPECT_EQ(group.keys_without_expiry(), std::vector<std::string>{});
}

}  // namespace
}  // namespace holdfast::test
