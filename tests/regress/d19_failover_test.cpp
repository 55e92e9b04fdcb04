// D19 (RedLock.net): extend re-created a vanished key and so hid the loss. Here the new primary behind Sentinels never had it.
#include <gtest/gtest.h>

#include <thread>

#include "regress/ground.hpp"
#include "support/sentinel_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D19_ALockThatTheNewPrimaryDoesNotHaveIsLostAndNotMadeAnew) {
  test::sentinel_group group{{.replicas = 1}};
  settings how = quiet(group.url());
  how.connect_timeout = 60s;
  client redis{how};
  auto held = redis.acquire("d19", {.ttl = 60s});
  auto& replica = group.server(1);
  ASSERT_TRUE(eventually(patience, [&] { return replica.number({"EXISTS", "d19"}) == 1; }));
  ASSERT_EQ(replica.text({"CONFIG", "SET", "replica-read-only", "no"}), "OK");
  ASSERT_EQ(replica.number({"DEL", "d19"}), 1);
  group.fail_over();
  auto& primary = group.primary();
  EXPECT_EQ(held.extend(std::nothrow, 60s).code(), errc::lost);
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::LOST; }));
  EXPECT_EQ(redis.stats().of(loss_cause::failover), 1U);
  std::this_thread::sleep_for(200ms);  // for whatever would be done in the background
  EXPECT_EQ(primary.number({"EXISTS", "d19"}), 0);
}

}  // namespace
}  // namespace holdfast::regress
