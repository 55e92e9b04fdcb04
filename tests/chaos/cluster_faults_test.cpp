// A Redis Cluster whose slots move while their locks are held and waited for: real nodes and MIGRATE. Evidence: the histories
// of what every holder believed, and what a guarded resource took. When nodes die: cluster_failover_test.cpp.
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
  ASSERT_TRUE(eventually(cluster_patience, [&] { return waiter.stats().waiting_now == 1; }));

  // Half-way for longer than a whole lease: it must be renewed where it happens to be.
  group.move_slot(slot, 0, 2, [&] {
    if (group.node(0).number({"EXISTS", name}) == 1) group.move_key(name, 0, 2);
    std::this_thread::sleep_for(4s);
  });
  EXPECT_EQ(losses, 0);
  ASSERT_TRUE(eventually(cluster_patience, [&] { return held.state() == lease_state::VALID; }));
  EXPECT_EQ(group.node(2).text({"GET", name}), held.owner());
  // The waiter stands in the queue of the new node and listens there.
  const auto listening = [&] {
    return group.node(2).list({"PUBSUB", "SHARDCHANNELS"}).size() == 1 &&
           group.node(2).number({"ZCARD", "{" + name + "}:waiters"}) == 1;
  };
  ASSERT_TRUE(eventually(cluster_patience, listening));
  std::this_thread::sleep_for(300ms);  // whatever it asked because of the move is answered
  const auto before = waiter.stats().woken_by_push;
  EXPECT_EQ(held.release(), release_outcome::released);
  lease next = waiting.get();
  EXPECT_EQ(waiter.stats().woken_by_push, before + 1);
  EXPECT_GT(next.fence(), held.fence());
  EXPECT_EQ(next.release(), release_outcome::released);
  EXPECT_TRUE(eventually(cluster_patience, [&] { return left_over(group).empty(); }));
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
  cluster_group group{3, 1, {.config = {"cluster-node-timeout 30000"}}};
  const auto all = names("load:", 12);
  crowd people{group, all, 3, 4};
  ASSERT_TRUE(eventually(cluster_patience, [&] { return people.taken() > 50; }));
  for (int round = 0; round < 3; ++round) {
    for (const std::string& each : all) {
      const std::size_t from = group.primary_of(each);
      group.move_slot(cluster_group::slot_of(each), from, (from + 1) % 3);
    }
  }
  const auto moved = people.taken();
  EXPECT_TRUE(eventually(cluster_patience, [&] { return people.taken() > moved + 100; })) << "work goes on";
  people.stop();
  EXPECT_EQ(people.violation(), std::nullopt);
  EXPECT_EQ(people.refused(), 0) << "nobody who believed to hold was an older holder";
  EXPECT_EQ(people.inversions(), 0);
  EXPECT_LE(people.latest(), 200ms) << "a waiter came back late";
  EXPECT_EQ(group.keys_without_expiry(), std::vector<std::string>{});
  EXPECT_TRUE(eventually(cluster_patience, [&] { return left_over(group).empty(); }));
}

}  // namespace
}  // namespace holdfast::test
