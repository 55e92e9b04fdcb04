// D20 (rslock): one missed round of renewal released the lock on all nodes.
#include <gtest/gtest.h>

#include "regress/ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D20_AMissedRoundReleasesNothing) {
  test::quorum_group nodes;
  client redis{nodes.where()};
  auto held = redis.acquire("d20", {.ttl = 3000ms});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("d20") == 5; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).pause();
  EXPECT_TRUE(eventually(patience, [&] { return held.state() != lease_state::VALID; }));  // the round was missed
  EXPECT_EQ(held.state(), lease_state::JEOPARDY);
  for (const std::size_t i : {3U, 4U}) EXPECT_EQ(nodes.owner_at(i, "d20"), held.owner());
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).resume();
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::VALID; }));
  EXPECT_EQ(nodes.holding("d20"), 5U);
  EXPECT_EQ(held.release(), release_outcome::released);
}

}  // namespace
}  // namespace holdfast::regress
