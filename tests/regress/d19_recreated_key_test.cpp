// D19 (RedLock.net): extend re-created a vanished key and so hid the loss.
#include <gtest/gtest.h>

#include <thread>

#include "regress/ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D19_ALockThatAMajorityHasForgottenIsLostAndNotMadeAnew) {
  test::quorum_group nodes;
  client redis{nodes.where()};
  auto held = redis.acquire("d19", {.ttl = 3000ms, .renew = false});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("d19") == 5; }));
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(nodes.node(i).number({"DEL", "d19"}), 1);
  EXPECT_EQ(held.extend(std::nothrow, 3000ms).code(), errc::lost);
  EXPECT_EQ(held.state(), lease_state::LOST);
  std::this_thread::sleep_for(200ms);  // for whatever would be done in the background
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(nodes.owner_at(i, "d19"), "") << i;
}

TEST(Regress, D19_ANodeThatForgotIsTakenInAgainOnlyWhileAMajorityKnows) {
  test::quorum_group nodes;
  client redis{nodes.where()};
  auto held = redis.acquire("d19", {.ttl = 3000ms});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("d19") == 5; }));
  ASSERT_EQ(nodes.node(4).number({"DEL", "d19"}), 1);
  EXPECT_TRUE(eventually(patience, [&] { return nodes.owner_at(4, "d19") == held.owner(); }));
  EXPECT_EQ(held.state(), lease_state::VALID);
}

}  // namespace
}  // namespace holdfast::regress
