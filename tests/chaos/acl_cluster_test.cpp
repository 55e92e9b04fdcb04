// The least rights that an ACL user needs on the nodes of a Redis Cluster (docs/operate.md): with them locks are taken, handed over
// by message and renewed while their slots move; without each, what the operators' page says happens.
#include <algorithm>
#include <future>

#include "chaos/acl_ground.hpp"
#include "chaos/cluster_ground.hpp"

namespace holdfast::test {
namespace {

std::vector<std::string> rights_but(const std::string& missing) {
  auto rights = all_rights_and(cluster_rights);
  rights.insert(rights.end(), cluster_message_rights.begin(), cluster_message_rights.end());
  std::erase(rights, missing);
  return rights;
}

class acl_in_a_cluster : public ::testing::Test {
 protected:
  void start(const std::vector<std::string>& rights) {
    group_ = std::make_unique<cluster_group>(3, 0, redis_options{.users = {user_with(rights)}});
    settings how = in_cluster(*group_, 1s);
    how.user = "app";
    how.password = "app-secret";
    first_.emplace(how);
    second_.emplace(how);
  }

  // Taken, waited for, and handed over. Whether by message.
  bool hand_over(const std::string& name) {
    lease held = first_->acquire(name, {.ttl = 30s});
    const auto before = second_->stats().woken_by_push;
    auto waiting = std::async(std::launch::async, [&] { return second_->acquire(name, {.ttl = 30s, .wait = 20s}); });
    EXPECT_TRUE(eventually(cluster_patience, [&] { return second_->stats().waiting_now == 1; }));
    EXPECT_EQ(held.release(), release_outcome::released);
    lease next = waiting.get();
    EXPECT_GT(next.fence(), held.fence());
    EXPECT_EQ(next.release(), release_outcome::released);
    return second_->stats().woken_by_push == before + 1;
  }

  // Half-way to another node for twice as long as the lease: whether it lived through that.
  bool lives_through_a_move(const std::string& name) {
    lease held = first_->acquire(name, {.ttl = 1500ms});
    group_->move_slot(cluster_group::slot_of(name), 0, 1, [&] {
      if (group_->node(0).number({"EXISTS", name}) == 1) group_->move_key(name, 0, 1);
      std::this_thread::sleep_for(3s);
    });
    return held.state() != lease_state::LOST;
  }

  [[nodiscard]] std::size_t refusals() {
    std::size_t all = 0;
    for (std::size_t i = 0; i < 3; ++i) all += group_->node(i).command({"ACL", "LOG"}).items.size();
    return all;
  }

  std::unique_ptr<cluster_group> group_;
  std::optional<client> first_;
  std::optional<client> second_;
};

TEST_F(acl_in_a_cluster, the_least_rights_are_enough_and_nothing_is_refused) {
  start(rights_but(""));
  for (std::size_t node = 0; node < 3; ++node) EXPECT_TRUE(hand_over(group_->key_at(node, "app:"))) << node;
  EXPECT_TRUE(lives_through_a_move(group_->key_at(0, "app:moving:")));
  EXPECT_EQ(refusals(), 0U);
}

TEST_F(acl_in_a_cluster, without_cluster_slots_it_is_refused_and_named) {
  start(rights_but("+cluster|slots"));
  const auto got = first_->try_acquire("app:x");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.code(), errc::refused);
  EXPECT_NE(got.failure().detail.find("CLUSTER SLOTS"), std::string::npos) << got.failure().detail;
  EXPECT_NE(got.failure().detail.find("docs/operate.md"), std::string::npos) << got.failure().detail;
}

TEST_F(acl_in_a_cluster, without_asking_a_lease_whose_slot_moves_is_not_renewed) {
  start(rights_but("+asking"));
  EXPECT_TRUE(hand_over(group_->key_at(2, "app:")));
  EXPECT_FALSE(lives_through_a_move(group_->key_at(0, "app:moving:")));
}

TEST_F(acl_in_a_cluster, without_ssubscribe_the_bus_is_used) {
  start(rights_but("+ssubscribe"));
  lease held = first_->acquire(group_->key_at(1, "app:first:"));
  EXPECT_EQ(second_->acquire(std::nothrow, group_->key_at(1, "app:first:"), {.wait = 300ms}).code(), errc::timed_out);
  EXPECT_TRUE(hand_over(group_->key_at(1, "app:")));
}

TEST_F(acl_in_a_cluster, without_spublish_waiters_poll) {
  start(rights_but("+spublish"));
  EXPECT_FALSE(hand_over(group_->key_at(1, "app:")));
}

}  // namespace
}  // namespace holdfast::test
