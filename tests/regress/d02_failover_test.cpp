// D2 (redis-plus-plus): extend reported success on somebody else's lock. Here the new primary behind Sentinels has given it
// away.
#include <gtest/gtest.h>

#include "regress/ground.hpp"
#include "support/sentinel_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D02_ExtendDoesNotSucceedOnWhatTheNewPrimaryGaveAway) {
  test::sentinel_group group{{.replicas = 1}};
  settings how = quiet(group.url());
  how.connect_timeout = 60s;
  client redis{how};
  auto held = redis.acquire("d02", {.ttl = 60s, .renew = false});
  auto& replica = group.server(1);
  ASSERT_TRUE(eventually(patience, [&] { return replica.number({"EXISTS", "d02"}) == 1; }));
  ASSERT_EQ(replica.text({"CONFIG", "SET", "replica-read-only", "no"}), "OK");
  ASSERT_EQ(replica.text({"SET", "d02", "somebody", "PX", "40000"}), "OK");
  group.fail_over();
  auto& primary = group.primary();
  EXPECT_EQ(held.extend(std::nothrow, 60s).code(), errc::lost);
  EXPECT_EQ(redis.extend("d02", held.owner(), 60s).code(), errc::not_owner);
  EXPECT_EQ(primary.text({"GET", "d02"}), "somebody");
  EXPECT_LE(primary.number({"PTTL", "d02"}), 40000);
}

}  // namespace
}  // namespace holdfast::regress
