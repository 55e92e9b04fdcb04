// D1 (redis-plus-plus): an attempt that lost the vote left its key behind on the node that it had won.
#include <gtest/gtest.h>

#include "regress/ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D01_AnAttemptThatLosesTheVoteTakesBackWhatItWon) {
  test::quorum_group nodes{{.nodes = 3}};
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_EQ(nodes.node(i).text({"SET", "d01", "somebody", "PX", "3000"}), "OK");
  }
  client redis{nodes.where()};
  const auto got = redis.try_acquire("d01", {.ttl = 3000ms});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::held) << got.failure().detail;
  EXPECT_TRUE(key_goes(nodes.node(2), "d01", 1000ms));
  EXPECT_EQ(nodes.owner_at(0, "d01"), "somebody");
  EXPECT_EQ(nodes.owner_at(1, "d01"), "somebody");
}

}  // namespace
}  // namespace holdfast::regress
