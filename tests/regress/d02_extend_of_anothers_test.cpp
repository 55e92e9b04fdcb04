// D2 (redis-plus-plus): extend reported success on somebody else's lock.
#include <gtest/gtest.h>

#include "regress/ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D02_ExtendDoesNotSucceedOnAnothersLock) {
  test::quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  auto held = redis.acquire("d02", {.ttl = 3000ms, .renew = false});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("d02") == 3; }));
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(nodes.node(i).text({"SET", "d02", "somebody", "PX", "1000"}), "OK");
  }
  EXPECT_EQ(held.extend(std::nothrow, 3000ms).code(), errc::lost);
  EXPECT_EQ(redis.extend("d02", held.owner(), 3000ms).code(), errc::not_owner);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(nodes.node(i).number({"PTTL", "d02"}), 1000);
}

}  // namespace
}  // namespace holdfast::regress
