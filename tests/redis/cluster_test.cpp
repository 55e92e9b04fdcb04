// Locks on a Redis Cluster of six real nodes: routing, waiting, hand-off, listing, and what is refused. All primitives:
// cluster_family_test.cpp. What happens when nodes die or slots move: tests/chaos/cluster_*_test.cpp.
#include <future>
#include <set>
#include <thread>

#include "redis/cluster_fixture.hpp"

namespace holdfast::test {
namespace {

class cluster : public in_a_cluster {};

TEST_F(cluster, every_lock_lies_on_the_node_of_its_slot) {
  client redis{where()};
  std::set<std::size_t> used;
  std::vector<lease> held;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "spread:" + std::to_string(i);
    held.push_back(redis.acquire(name));
    EXPECT_GT(held.back().fence(), 0U);
    EXPECT_EQ(home(name).text({"GET", name}), held.back().owner());
    used.insert(group().primary_of(name));
  }
  EXPECT_EQ(used.size(), 3U);
  for (lease& each : held) EXPECT_EQ(each.release(), release_outcome::released);
}

TEST_F(cluster, names_with_one_hash_tag_lie_on_one_node_with_all_their_keys) {
  client first{where()};
  client second{where()};
  const std::string tag = group().key_at(2, "user:");
  std::vector<lease> held;
  std::vector<std::future<lease>> waiting;
  for (const char* part : {":cart", ":orders", ":mail"}) {
    const std::string name = "{" + tag + "}" + part;
    ASSERT_EQ(group().primary_of(name), 2U);
    held.push_back(first.acquire(name));
    waiting.push_back(std::async(std::launch::async, [&second, name] { return second.acquire(name, {.wait = 20s}); }));
    EXPECT_EQ(group().node(2).text({"GET", name}), held.back().owner());
    EXPECT_TRUE(eventually(patience, [&] { return group().node(2).number({"ZCARD", name + ":waiters"}) == 1; }));
  }
  EXPECT_EQ(group().node(2).list({"PUBSUB", "SHARDCHANNELS"}).size(), 1U) << "one inbox for the slot";
  for (lease& each : held) EXPECT_EQ(each.release(), release_outcome::released);
  for (auto& each : waiting) EXPECT_EQ(each.get().release(), release_outcome::released);
  EXPECT_EQ(second.stats().woken_by_push, 3U);
}

TEST_F(cluster, one_node_is_enough_to_begin_with_and_it_may_be_a_replica) {
  settings how = where();
  how.hosts = {how.hosts[4]};
  client redis{how};
  for (int i = 0; i < 12; ++i) {
    lease held = redis.acquire("seed:" + std::to_string(i));
    EXPECT_EQ(held.release(), release_outcome::released);
  }
}

TEST_F(cluster, nodes_that_are_not_there_do_not_keep_a_client_from_those_that_are) {
  settings how = where();
  how.hosts = {{"127.0.0.1", 1}, {"127.0.0.1", 2}, how.hosts[1]};
  client redis{how};
  EXPECT_TRUE(redis.try_acquire("dead-seeds").has_value());
}

TEST_F(cluster, without_any_node_it_is_unreachable) {
  settings how = where();
  how.hosts = {{"127.0.0.1", 1}, {"127.0.0.1", 2}};
  how.connect_timeout = 300ms;
  client redis{how};
  EXPECT_EQ(redis.try_acquire("nowhere").code(), errc::unreachable);
  EXPECT_EQ(redis.acquire(std::nothrow, "nowhere", {.wait = 500ms}).code(), errc::unreachable);
}

TEST_F(cluster, a_redis_that_is_no_cluster_is_refused_and_named) {
  redis_server alone;
  client redis{at("redis+cluster://127.0.0.1:" + std::to_string(alone.port()))};
  const auto got = redis.try_acquire("x");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.code(), errc::refused);
  EXPECT_TRUE(has(got.failure().detail, "not a node of a Redis Cluster")) << got.failure().detail;
}

TEST_F(cluster, a_database_other_than_0_is_refused) {
  const auto by_url = settings::from_url(group().url() + "/2");
  ASSERT_FALSE(by_url.has_value());
  EXPECT_TRUE(has(by_url.failure().detail, "database")) << by_url.failure().detail;
  settings how = where();
  how.database = 1;
  try {
    client redis{how};
    FAIL() << "a client was made";
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::bad_option);
    EXPECT_TRUE(has(problem.what(), "only 0")) << problem.what();
  }
  EXPECT_TRUE(settings::from_url(group().url() + "/0").has_value());
}

TEST_F(cluster, a_lock_is_handed_over_by_message_on_every_node) {
  client first{where()};
  client second{where()};
  for (std::size_t node = 0; node < 3; ++node) {
    const std::string name = group().key_at(node, "hand-off:");
    lease held = first.acquire(name, {.ttl = 30s});
    auto waiting = std::async(std::launch::async, [&] { return second.acquire(name, {.ttl = 30s, .wait = 20s}); });
    ASSERT_TRUE(queue_reaches(group().node(node), name, 1));
    const auto before = second.stats().woken_by_push;
    EXPECT_EQ(held.release(), release_outcome::released);
    lease next = waiting.get();
    EXPECT_EQ(second.stats().woken_by_push, before + 1);
    EXPECT_GT(next.fence(), held.fence());
    EXPECT_EQ(first.stats().handoffs_given, node + 1);
  }
}

TEST_F(cluster, grants_travel_through_sharded_channels_and_not_over_the_bus) {
  client first{where()};
  client second{where()};
  const std::string name = group().key_at(1, "sharded:");
  lease held = first.acquire(name);
  auto waiting = std::async(std::launch::async, [&] { return second.acquire(name, {.wait = 20s}); });
  ASSERT_TRUE(queue_reaches(group().node(1), name, 1));
  EXPECT_EQ(group().node(1).list({"PUBSUB", "SHARDCHANNELS", "holdfast:inbox:*"}).size(), 1U);
  const auto published = group().node(1).command_calls("publish");
  const auto before = group().node(1).command_calls("spublish");
  EXPECT_EQ(held.release(), release_outcome::released);
  static_cast<void>(waiting.get());
  EXPECT_EQ(group().node(1).command_calls("spublish"), before + 1);
  EXPECT_EQ(group().node(1).command_calls("publish"), published);
}

TEST_F(cluster, with_resp2_grants_come_to_the_inbox_of_the_client) {
  settings old = where();
  old.protocol = 2;
  client first{old};
  client second{old};
  const std::string name = group().key_at(2, "resp2:");
  lease held = first.acquire(name);
  auto waiting = std::async(std::launch::async, [&] { return second.acquire(name, {.wait = 20s}); });
  ASSERT_TRUE(queue_reaches(group().node(2), name, 1));
  EXPECT_EQ(held.release(), release_outcome::released);
  static_cast<void>(waiting.get());
  EXPECT_EQ(second.stats().woken_by_push, 1U);
}

TEST_F(cluster, waiters_of_many_slots_wait_in_one_client) {
  client holder{where()};
  client crowd{where()};
  std::vector<lease> held;
  std::vector<std::future<lease>> waiting;
  for (int i = 0; i < 16; ++i) {
    const std::string name = "crowd:" + std::to_string(i);
    held.push_back(holder.acquire(name));
    waiting.push_back(std::async(std::launch::async, [&crowd, name] { return crowd.acquire(name, {.wait = 20s}); }));
  }
  ASSERT_TRUE(eventually(patience, [&] { return crowd.stats().waiting_now == 16; }));
  for (lease& each : held) EXPECT_EQ(each.release(), release_outcome::released);
  for (auto& each : waiting) EXPECT_TRUE(static_cast<bool>(each.get()));
  EXPECT_EQ(crowd.stats().woken_by_push, 16U);
  EXPECT_EQ(crowd.stats().woken_by_timer, 0U);
}

// The release, and the message that it sends: nobody has to ask again. Without regard to how fast it is: a machine that stands
// still for a second lets a heartbeat or the claim fall into what is counted, but not five times in a row.
TEST_F(cluster, a_hand_off_is_one_script_and_the_next_owner_asks_nothing) {
  client first{where()};
  client second{where()};
  for (std::size_t node = 0; node < 3; ++node) {
    const std::string name = group().key_at(node, "one-trip:");
    const auto scripts = [&] { return scripts_run(group().node(node)); };
    long long fewest = 100;
    for (int round = 0; round < 5 && fewest > 1; ++round) {
      lease held = first.acquire(name, {.ttl = 30s});
      auto waiting = std::async(std::launch::async, [&] { return second.acquire(name, {.ttl = 30s, .wait = 20s}); });
      ASSERT_TRUE(queue_reaches(group().node(node), name, 1));
      const auto earlier = scripts();
      ASSERT_TRUE(eventually(patience, [&] { return scripts() != earlier; })) << "no heartbeat";
      const auto before = scripts();
      const auto pushed = second.stats().woken_by_push;
      EXPECT_EQ(held.release(), release_outcome::released);
      lease next = waiting.get();
      fewest = std::min(fewest, scripts() - before);
      EXPECT_EQ(second.stats().woken_by_push, pushed + 1);
      EXPECT_EQ(next.release(), release_outcome::released);
    }
    EXPECT_EQ(fewest, 1) << "the release alone";
  }
  EXPECT_EQ(second.stats().woken_by_timer, 0U);
}

TEST_F(cluster, several_locks_of_one_slot_are_taken_in_one_step_and_of_several_slots_in_order) {
  client redis{where()};
  const auto scripts = [] {
    long long sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += scripts_run(group().node(i));
    return sum;
  };
  {
    multi_lease warm = acquire_all(redis, {"{tag}:x", "{tag}:y"});
    EXPECT_EQ(warm.release(), release_outcome::released);
  }
  auto before = scripts();
  multi_lease together = acquire_all(redis, {"{tag}:a", "{tag}:b", "{tag}:c"});
  EXPECT_EQ(scripts() - before, 1);
  EXPECT_EQ(together.release(), release_outcome::released);

  const std::vector<std::string> names{group().key_at(0, "multi:"), group().key_at(1, "multi:"),
                                       group().key_at(2, "multi:")};
  multi_lease apart = acquire_all(redis, names);
  for (const std::string& each : names) {
    EXPECT_GT(apart.fence(each), 0U);
    EXPECT_EQ(home(each).number({"EXISTS", each}), 1);
  }
  client other{where()};
  EXPECT_EQ(try_acquire_all(other, names).code(), errc::held);
  EXPECT_EQ(apart.release(), release_outcome::released);
  for (int i = 0; i < 5; ++i) {
    auto a = std::async(std::launch::async, [&] { return acquire_all(redis, names, {.wait = 20s}).release(); });
    auto b = std::async(std::launch::async, [&] {
      return acquire_all(other, {names[2], names[1], names[0]}, {.wait = 20s}).release();
    });
    EXPECT_EQ(a.get(), release_outcome::released);
    EXPECT_EQ(b.get(), release_outcome::released);
  }
}

TEST_F(cluster, list_and_inspect_see_all_nodes) {
  client redis{where()};
  client looker{where()};
  std::vector<lease> held;
  for (int i = 0; i < 30; ++i) held.push_back(redis.acquire("seen:" + std::to_string(i)));
  list_options all;
  all.patience = 10s;
  const auto found = list(looker, "seen:*", all).value();
  ASSERT_EQ(found.locks.size(), held.size());
  EXPECT_TRUE(found.complete);
  for (const lock_info& each : found.locks) EXPECT_EQ(each.contact, contact::answered) << each.name;
  inspect_options closely;
  closely.patience = 10s;
  const auto one = inspect(looker, "seen:7", closely).value();
  EXPECT_EQ(one.owner, held[7].owner());
  EXPECT_EQ(one.fence, held[7].fence());
  EXPECT_EQ(one.contact, contact::answered);
}

TEST_F(cluster, a_broken_lock_is_lost_at_once_wherever_it_lies) {
  client redis{where()};
  client operator_{where()};
  for (std::size_t node = 0; node < 3; ++node) {
    const std::string name = group().key_at(node, "broken:");
    lease held = redis.acquire(name, {.ttl = 60s});
    ASSERT_TRUE(break_lock(operator_, name, {}).has_value());
    EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::LOST; }));
  }
  EXPECT_EQ(redis.stats().of(loss_cause::broken), 3U);
}

TEST_F(cluster, a_waiter_that_gives_up_leaves_nothing) {
  client redis{where()};
  const std::string name = group().key_at(0, "gives-up:");
  lease held = redis.acquire(name);
  client other{where()};
  EXPECT_EQ(other.acquire(std::nothrow, name, {.wait = 100ms}).code(), errc::timed_out);
  EXPECT_TRUE(queue_reaches(group().node(0), name, 0));
}

TEST_F(cluster, a_signal_list_in_another_slot_is_refused) {
  client redis{where()};
  EXPECT_EQ(redis.acquire(std::nothrow, "plain", {.signal_prefix = "lock-signal:"}).code(), errc::bad_option);
  EXPECT_TRUE(redis.acquire(std::nothrow, "{same}:x", {.signal_prefix = "lock-signal:"}).has_value());
  for (std::size_t i = 0; i < 3; ++i) static_cast<void>(group().node(i).command({"DEL", "lock-signal:{same}:x"}));
}

}  // namespace
}  // namespace holdfast::test
