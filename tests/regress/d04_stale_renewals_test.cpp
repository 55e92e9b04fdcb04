// D4 (redis-plus-plus): 5,418 lock/unlock cycles, then one hold: 5,419 renewals in 2.5 s, because entries of leases
// long released stayed in the renewal schedule.
#include <gtest/gtest.h>

#include <thread>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D4_ReleasedLeasesAreNotRenewed) {
  redis_server server;
  client redis{quiet(server.url())};
  mutex lock{redis, "d4", {.ttl = 1s}};
  for (int i = 0; i < 5000; ++i) {
    lock.lock();
    lock.unlock();
  }
  ASSERT_EQ(redis.stats().held_now, 0U);
  const auto renewals = redis.stats().renewals;
  lock.lock();
  const auto scripts = scripts_run(server);
  std::this_thread::sleep_for(2500ms);  // the hold itself
  const auto seen = redis.stats().renewals - renewals;
  const auto sent = scripts_run(server) - scripts;
  EXPECT_EQ(lock.state(), lease_state::VALID);
  EXPECT_EQ(lock.release(), release_outcome::released);
  // One each third of a second: 7. Fewer than 3 could not have kept a lease of 1 s alive.
  EXPECT_GE(seen, 3U);
  EXPECT_LE(seen, 9U);
  EXPECT_LE(sent, 9);
}

}  // namespace
}  // namespace holdfast::regress
