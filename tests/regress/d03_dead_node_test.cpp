// D3 (redis-plus-plus): with one of three nodes down lock() threw, and left keys on the others.
#include <gtest/gtest.h>

#include "regress/ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D03_ADeadNodeIsAVoteAgainstAndNoException) {
  test::quorum_group nodes{{.nodes = 3}};
  nodes.node(1).kill();
  client redis{nodes.where()};
  mutex door{redis, "d03", {.ttl = 3000ms}};
  EXPECT_NO_THROW(door.lock());
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_TRUE(eventually(1000ms, [&] { return nodes.left_behind().empty(); }));  // before they would lapse
}

TEST(Regress, D03_WithoutAMajorityNothingIsLeftOnTheOthers) {
  test::quorum_group nodes{{.nodes = 3}};
  nodes.node(0).kill();
  nodes.node(1).kill();
  client redis{nodes.where()};
  const auto got = redis.try_acquire("d03", {.ttl = 3000ms});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  EXPECT_TRUE(eventually(1000ms, [&] { return nodes.left_behind().empty(); }));
}

}  // namespace
}  // namespace holdfast::regress
