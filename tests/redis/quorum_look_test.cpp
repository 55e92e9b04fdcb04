// Looking at the locks of a quorum and forcing one open; and entering one again.
#include <gtest/gtest.h>
#include <holdfast/inspect.hpp>
#include <holdfast/recursive_mutex.hpp>

#include <atomic>
#include <future>
#include <stop_token>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

struct QuorumLook : testing::Test {
  quorum_group nodes{{.nodes = 5}};
  client redis{nodes.where()};
  client other{nodes.where()};

  lease hold(const std::string& name) { return redis.acquire(name, {.ttl = 2000ms}); }
  void kill(std::size_t how_many) {
    for (std::size_t i = 0; i < how_many; ++i) nodes.node(i).kill();
  }
};

TEST_F(QuorumLook, TheHolderIsWhomAMajorityNames) {
  const lease held = hold("door");
  kill(2);
  const auto seen = inspect(other, "door");
  ASSERT_TRUE(seen) << seen.failure().detail;
  EXPECT_TRUE(seen->held);
  EXPECT_EQ(seen->owner, held.owner());
  EXPECT_EQ(seen->contact, contact::answered) << "its client hears us on any node";
  EXPECT_EQ(seen->fence, held.fence());
  EXPECT_LE(seen->remaining, 2000ms);
}

TEST_F(QuorumLook, VotesOfAMinorityAreNobodysLock) {
  for (std::size_t i = 0; i < 2; ++i) {
    static_cast<void>(nodes.node(i).text({"SET", "door", "somebody", "PX", "60000"}));
  }
  EXPECT_FALSE(inspect(redis, "door").value().held);
  static_cast<void>(nodes.node(2).text({"SET", "door", "somebody", "PX", "60000"}));
  EXPECT_TRUE(inspect(redis, "door").value().held);
  EXPECT_EQ(inspect(redis, "door").value().owner, "somebody");
}

TEST_F(QuorumLook, AMajorityHasToAnswer) {
  const lease held = hold("door");
  kill(3);
  EXPECT_EQ(inspect(other, "door").code(), errc::unreachable);
  EXPECT_EQ(list(other).code(), errc::unreachable);
  EXPECT_EQ(break_lock(other, "door", {}).code(), errc::unreachable);
}

TEST_F(QuorumLook, ListHasEachLockOnceWithItsWaiters) {
  const lease first = hold("first");
  const lease second = hold("second");
  std::stop_source stop;
  auto waits =
      std::async([&] { return other.acquire(std::nothrow, "first", {.ttl = 1000ms, .stop = stop.get_token()}); });
  ASSERT_TRUE(eventually(patience, [&] { return inspect(redis, "first").value().waiting == 1; }));
  const auto seen = list(redis).value();
  ASSERT_EQ(seen.locks.size(), 2U);
  EXPECT_EQ(seen.locks[0].name, "first");
  EXPECT_EQ(seen.locks[0].owner, first.owner());
  ASSERT_EQ(seen.locks[0].waiters.size(), 1U);
  EXPECT_EQ(seen.locks[1].owner, second.owner());
  stop.request_stop();
  EXPECT_EQ(waits.get().code(), errc::cancelled);
}

TEST_F(QuorumLook, BreakingTakesItFromTheHolderWhoHearsOfItAtOnce) {
  std::atomic<bool> told = false;
  options how{.ttl = 2900ms};
  how.on_lost = [&](const loss& what) { told = what.cause == loss_cause::broken; };
  const lease held = redis.acquire("door", how);
  EXPECT_EQ(break_lock(other, "door", "another").code(), errc::not_owner);
  EXPECT_EQ(held.state(), lease_state::VALID);
  const auto done = break_lock(other, "door", held.owner());
  ASSERT_TRUE(done) << done.failure().detail;
  EXPECT_EQ(done->owner, held.owner());
  EXPECT_TRUE(done->told);
  EXPECT_TRUE(eventually(patience, [&] { return told.load(); }));
  EXPECT_EQ(break_lock(other, "door", {}).code(), errc::not_owner) << "nobody holds it";
  EXPECT_TRUE(other.try_acquire("door", {.ttl = 1000ms}));
}

TEST_F(QuorumLook, BreakingLetsTheNextOneIn) {
  const lease held = redis.acquire("door", {.ttl = 2900ms});
  auto waits = std::async([&] { return bool{other.acquire(std::nothrow, "door", {.ttl = 1000ms, .wait = patience})}; });
  ASSERT_TRUE(eventually(patience, [&] { return inspect(redis, "door").value().waiting == 1; }));
  ASSERT_TRUE(break_lock(redis, "door", {}));
  EXPECT_TRUE(waits.get());
}

// Each costs three limits: a command that is not answered and an attempt to connect for the look, another attempt for the break.
TEST_F(QuorumLook, BreakingWaitsForStoppedNodesTogetherAndNotForOneAfterTheOther) {
  settings where = nodes.where();
  where.command_timeout = 1000ms;
  client impatient{where};
  const lease held = redis.acquire("door", {.ttl = 2900ms, .renew = false});
  ASSERT_TRUE(inspect(impatient, "door")) << "connects to all";
  for (std::size_t i = 0; i < 2; ++i) nodes.node(i).pause();
  const auto began = std::chrono::steady_clock::now();
  const auto done = break_lock(impatient, "door", held.owner());
  const auto took = std::chrono::steady_clock::now() - began;
  for (std::size_t i = 0; i < 2; ++i) nodes.node(i).resume();
  ASSERT_TRUE(done) << done.failure().detail;
  EXPECT_EQ(done->owner, held.owner());
  EXPECT_GE(took, where.command_timeout) << "they did not answer";
  EXPECT_LT(took, 4 * where.command_timeout);
}

// Two names for one server would be two votes of one: without a second server there is no majority of three.
TEST(QuorumTwins, OneServerHasOneVoteUnderTwoNames) {
  quorum_group nodes{{.nodes = 3}};
  settings where = nodes.where();
  where.hosts[1] = {"localhost", nodes.node(0).port()};
  client redis{where};
  ASSERT_TRUE(redis.try_acquire("door", {.ttl = 1000ms})) << "of the first and the third";
  nodes.node(2).kill();
  const auto got = redis.try_acquire("door", {.ttl = 1000ms});
  ASSERT_FALSE(got) << "one server must not be a majority";
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  for (int i = 0; i < 20; ++i) {
    client fresh{where};
    EXPECT_FALSE(fresh.try_acquire("door", {.ttl = 1000ms})) << "also while it is not known yet who is who";
  }
}

TEST_F(QuorumLook, ARecursiveMutexIsEnteredAgainWithoutAsking) {
  recursive_mutex door{redis, "door", {.ttl = 2000ms}};
  const std::scoped_lock outer{door};
  const auto fence = door.fence();
  {
    const std::scoped_lock inner{door};
    EXPECT_EQ(door.depth(), 2U);
    EXPECT_EQ(door.fence(), fence);
  }
  EXPECT_EQ(other.try_acquire("door", {.ttl = 1000ms}).code(), errc::held);
}

}  // namespace
}  // namespace holdfast::test
