// Each error that sends a command elsewhere or makes it wait, one at a time and given by real nodes: the caller hears nothing of
// it, and the server's own counters show that it came.
#include <future>

#include "chaos/cluster_ground.hpp"

namespace holdfast::test {
namespace {

// How often a node has answered so: "errorstat_MOVED:count=3".
long long errors_of(redis_server& node, const std::string& kind) {
  const std::string all = node.text({"INFO", "errorstats"});
  const std::string stem = "errorstat_" + kind + ":count=";
  const auto at = all.find(stem);
  return at == std::string::npos ? 0 : std::stoll(all.substr(at + stem.size()));
}

TEST(cluster_redirects, moved_is_followed_once_and_then_known) {
  cluster_group group{3, 0};
  client redis{in_cluster(group)};
  const std::string name = group.key_at(0, "moved:");
  EXPECT_EQ(redis.acquire(name).release(), release_outcome::released);
  group.move_slot(cluster_group::slot_of(name), 0, 1);
  const auto before = errors_of(group.node(0), "MOVED");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(redis.acquire(name).release(), release_outcome::released);
  EXPECT_EQ(errors_of(group.node(0), "MOVED"), before + 1);
}

TEST(cluster_redirects, ask_renews_a_lease_that_has_gone_ahead_and_the_map_stays) {
  cluster_group group{3, 0};
  client redis{in_cluster(group)};
  const std::string name = group.key_at(0, "ask:");
  lease held = redis.acquire(name, {.ttl = 1500ms});
  const auto slot = cluster_group::slot_of(name);
  const auto moved = errors_of(group.node(0), "MOVED");
  group.move_slot(slot, 0, 2, [&] {
    if (group.node(0).number({"EXISTS", name}) == 1) group.move_key(name, 0, 2);
    const auto until = std::chrono::steady_clock::now() + 3s;
    while (std::chrono::steady_clock::now() < until) {
      ASSERT_NE(held.state(), lease_state::LOST);
      std::this_thread::sleep_for(10ms);
    }
    EXPECT_GE(errors_of(group.node(0), "ASK"), 2);
    EXPECT_GE(group.node(2).command_calls("asking"), 2);
    EXPECT_EQ(errors_of(group.node(0), "MOVED"), moved) << "ask is for once";
  });
  EXPECT_EQ(held.release(), release_outcome::released);
}

TEST(cluster_redirects, tryagain_is_waited_out_and_ends_with_the_callers_limit) {
  cluster_group group{3, 0};
  client redis{in_cluster(group, 2s)};
  client other{in_cluster(group, 2s)};
  const std::string name = group.key_at(1, "try:");
  lease held = redis.acquire(name, {.ttl = 20s});
  std::future<result<lease>> taken;
  std::future<release_outcome> released;
  group.move_slot(cluster_group::slot_of(name), 1, 0, [&] {
    const auto began = std::chrono::steady_clock::now();
    const auto in_vain = other.acquire(std::nothrow, name, {.wait = 400ms});
    EXPECT_FALSE(in_vain.has_value());
    EXPECT_LE(std::chrono::steady_clock::now() - began, 600ms) << "limit + 200 ms";
    taken = std::async(std::launch::async, [&] { return other.acquire(std::nothrow, name, {.wait = 20s}); });
    released = std::async(std::launch::async, [&] { return held.release(); });
    std::this_thread::sleep_for(200ms);
    EXPECT_GE(errors_of(group.node(1), "TRYAGAIN") + errors_of(group.node(0), "TRYAGAIN"), 2);
  });
  EXPECT_EQ(released.get(), release_outcome::released);
  auto got = taken.get();
  ASSERT_TRUE(got.has_value()) << got.failure().detail;
  EXPECT_GT(got->fence(), held.fence());
}

TEST(cluster_redirects, clusterdown_is_waited_out_and_ends_with_the_callers_limit) {
  cluster_group group{3, 0};
  client redis{in_cluster(group, 4s)};
  const std::string name = group.key_at(2, "down:");
  lease held = redis.acquire(name, {.ttl = 20s});
  // A slot that nobody serves: with full coverage, Redis's default, the node refuses all of them.
  const std::string other = group.key_at(2, "elsewhere:");
  const std::string lost = std::to_string(cluster_group::slot_of(other));
  ASSERT_NE(cluster_group::slot_of(other), cluster_group::slot_of(name));
  EXPECT_EQ(group.node(2).text({"CLUSTER", "DELSLOTS", lost}), "OK");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(redis.acquire(std::nothrow, group.key_at(2, "down:again:"), {.wait = 400ms}).has_value());
  EXPECT_LE(std::chrono::steady_clock::now() - began, 600ms) << "limit + 200 ms";
  auto later = std::async(std::launch::async, [&] { return held.release(); });
  std::this_thread::sleep_for(500ms);
  EXPECT_GE(errors_of(group.node(2), "CLUSTERDOWN"), 2);
  EXPECT_EQ(later.wait_for(0ms), std::future_status::timeout);
  EXPECT_EQ(group.node(2).text({"CLUSTER", "ADDSLOTS", lost}), "OK");
  EXPECT_EQ(later.get(), release_outcome::released);
  EXPECT_EQ(redis.acquire(name).release(), release_outcome::released);
}

// As while a failover is being agreed upon: two nodes send whoever asks from one to the other.
TEST(cluster_redirects, nodes_that_name_one_another_are_a_cluster_that_is_down_and_a_waiter_waits_on) {
  cluster_group group{3, 0};
  client redis{in_cluster(group, 1s)};
  ASSERT_TRUE(redis.ping());
  const std::string name = group.key_at(1, "circle:");
  const auto slot = cluster_group::slot_of(name);
  group.point_to(slot, 0, 1);
  group.point_to(slot, 1, 0);
  const auto in_vain = redis.try_acquire(name);
  ASSERT_FALSE(in_vain.has_value());
  EXPECT_EQ(in_vain.code(), errc::server_busy) << in_vain.failure().detail;
  EXPECT_GE(errors_of(group.node(1), "MOVED"), 8) << "they have named one another";
  auto waiting = std::async(std::launch::async, [&] { return redis.acquire(std::nothrow, name, {.wait = 60s}); });
  EXPECT_EQ(waiting.wait_for(2500ms), std::future_status::timeout) << "longer than a single call is tried";
  group.point_to(slot, 1, 1);
  auto got = waiting.get();
  ASSERT_TRUE(got.has_value()) << got.failure().detail;
  EXPECT_EQ(got->release(), release_outcome::released);
}

// The link of a waiter breaks: on the next one it listens again before it asks, and so is told.
TEST(cluster_redirects, a_waiter_whose_link_broke_listens_again) {
  cluster_group group{3, 0};
  client first{in_cluster(group)};
  client second{in_cluster(group)};
  const std::string name = group.key_at(1, "again:");
  lease held = first.acquire(name, {.ttl = 30s});
  auto waiting = std::async(std::launch::async, [&] { return second.acquire(name, {.ttl = 30s, .wait = 30s}); });
  ASSERT_TRUE(eventually(cluster_patience, [&] { return second.stats().waiting_now == 1; }));
  const auto listens = [&] { return group.node(1).list({"PUBSUB", "SHARDCHANNELS"}).size() == 1; };
  ASSERT_TRUE(listens());
  const auto subscribed = group.node(1).command_calls("ssubscribe");
  EXPECT_GE(group.node(1).number({"CLIENT", "KILL", "TYPE", "pubsub"}), 1);
  ASSERT_TRUE(
      eventually(cluster_patience, [&] { return group.node(1).command_calls("ssubscribe") == subscribed + 1; }));
  ASSERT_TRUE(eventually(cluster_patience, listens));
  ASSERT_TRUE(eventually(cluster_patience, [&] {
    return group.node(1).number({"ZCARD", "{" + name + "}:waiters"}) == 1;
  }));
  std::this_thread::sleep_for(300ms);  // whatever it asked because of the new link is answered
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(waiting.get().release(), release_outcome::released);
  EXPECT_EQ(second.stats().woken_by_push, 1U);
  EXPECT_EQ(second.stats().woken_by_timer, 0U);
}

}  // namespace
}  // namespace holdfast::test
