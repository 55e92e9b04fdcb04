// D20 (rslock): one missed round of renewal released the lock. Here the primary behind Sentinels stands still for a round.
#include <gtest/gtest.h>

#include "regress/ground.hpp"
#include "support/sentinel_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D20_APrimaryThatStandsStillForARoundKeepsTheLock) {
  test::sentinel_group group{{.replicas = 1, .watch_lines = {"sentinel down-after-milliseconds locks 60000"}}};
  client redis{quiet(group.url(), 300ms)};
  auto held = redis.acquire("d20", {.ttl = 20s});
  auto& primary = group.server(0);
  const auto fence = held.fence();
  const auto before = redis.stats().renewals;
  primary.pause();
  EXPECT_EQ(held.extend(std::nothrow, 20s).code(), errc::unreachable) << "the round was missed";
  EXPECT_EQ(held.state(), lease_state::JEOPARDY);
  primary.resume();
  primary.hang_up();
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::VALID; }));
  EXPECT_TRUE(eventually(patience, [&] { return redis.stats().renewals > before; }));
  EXPECT_EQ(primary.text({"GET", "d20"}), std::string{held.owner()});
  EXPECT_EQ(held.fence(), fence);
  EXPECT_EQ(held.release(), release_outcome::released);
}

}  // namespace
}  // namespace holdfast::regress
