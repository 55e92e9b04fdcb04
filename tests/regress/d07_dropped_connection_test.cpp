// D7 (redis-plus-plus): one dropped connection was "lock lost", without a retry inside the lease, and unlock() then
// left the key behind.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "regress/gated.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D7_ADroppedConnectionIsNotALoss) {
  gated at;
  std::atomic<int> losses{0};
  lease held = at.redis.acquire("d7", {.ttl = 1500ms, .on_lost = [&](const loss&) { ++losses; }});
  const auto token = held.lost();
  at.between.cut();
  const auto end = steady_clock::now() + 3s;  // two leases long
  while (steady_clock::now() < end) {
    ASSERT_NE(held.state(), lease_state::LOST);
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_EQ(at.server.text({"GET", "d7"}), held.owner());
  EXPECT_GE(at.redis.stats().reconnects, 1U);
  EXPECT_EQ(losses, 0);
  EXPECT_FALSE(token.stop_requested());
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(at.server.number({"EXISTS", "d7"}), 0);
}

TEST(Regress, D7_AConnectionDroppedUnderTheRenewalIsNotALoss) {
  gated at;
  lease held = at.redis.acquire("d7", {.ttl = 1500ms});
  at.between.when(renew_sha(), fault::cut(), moment::before);  // the first never arrives
  ASSERT_TRUE(at.between.wait_triggered(1));
  at.between.when_reply(kept_reply, fault::cut());  // another arrives, and its answer does not
  ASSERT_TRUE(at.between.wait_triggered(2));
  ASSERT_TRUE(eventually(patience, [&] { return held.state() == lease_state::VALID; }));
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(at.server.number({"EXISTS", "d7"}), 0);
}

TEST(Regress, D7_UnlockOverADroppedConnectionLeavesNoKey) {
  gated at;
  mutex lock{at.redis, "d7", {.ttl = 30s}};
  lock.lock();
  at.between.cut();
  lock.unlock();
  EXPECT_TRUE(key_goes(at.server, "d7", 5s)) << "long before the ttl of 30 s";
}

}  // namespace
}  // namespace holdfast::regress
