// holdfast on a quorum of real servers: acquire, hold, renew, release, wait; with nodes that are dead, stopped or restarted.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

// Longer than any of these tests waits: nothing goes by lapsing.
options long_hold() { return {.ttl = 60s}; }

constexpr std::chrono::milliseconds slack{200};  // no waiter ends later than so much after its limit

bool nothing_left(quorum_group& nodes) {
  return eventually(patience, [&] { return nodes.left_behind().empty(); });
}

class Quorum : public testing::TestWithParam<std::size_t> {
 protected:
  quorum_group nodes{{.nodes = GetParam(), .max_ttl = 60s}};
  std::size_t majority = GetParam() / 2 + 1;
};

TEST_P(Quorum, TakesKeepsAndGivesBack) {
  client redis{nodes.where()};
  mutex door{redis, "door", long_hold()};
  ASSERT_TRUE(door.try_lock());
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("door") == nodes.size(); }));
  EXPECT_GT(door.fence(), 0U);
  EXPECT_EQ(door.state(), lease_state::VALID);
  EXPECT_LE(door.remaining(), 60s);
  EXPECT_TRUE(nodes.without_expiry().empty());
  const auto first = door.fence();
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
  ASSERT_TRUE(door.try_lock());
  EXPECT_GT(door.fence(), first);
  door.unlock();
}

TEST_P(Quorum, ExcludesAnotherClient) {
  client one{nodes.where()};
  client two{nodes.where()};
  const auto held = one.acquire("door", long_hold());
  const auto got = two.try_acquire("door", long_hold());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::held) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, std::string{held.owner()})) << got.failure().detail;
  auto limited = long_hold();
  limited.wait = 100ms;
  const auto start = std::chrono::steady_clock::now();
  const auto late = two.acquire(std::nothrow, "door", limited);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.code(), errc::timed_out) << late.failure().detail;
  EXPECT_GE(since(start), 100ms);
  EXPECT_LT(since(start), 100ms + slack);
}

TEST_P(Quorum, SurvivesTheLossOfAMinority) {
  client redis{nodes.where()};
  ASSERT_TRUE(redis.try_acquire("before", long_hold()));
  for (std::size_t i = 0; i < nodes.size() - majority; ++i) nodes.node(i).kill();
  for (int i = 0; i < 5; ++i) {
    auto got = redis.try_acquire("door", long_hold());
    ASSERT_TRUE(got) << got.failure().detail;
    EXPECT_EQ(got->release(), release_outcome::released);
  }
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(Quorum, RefusesWithoutAMajorityInTimeAndLeavesNothing) {
  client redis{nodes.where()};
  { auto warm = redis.acquire("door", long_hold()); }
  for (std::size_t i = 0; i + majority <= nodes.size(); ++i) nodes.node(i).pause();
  const auto start = std::chrono::steady_clock::now();
  const auto got = redis.try_acquire("door", long_hold());
  const auto took = since(start);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, std::to_string(majority) + " are needed")) << got.failure().detail;
  EXPECT_LT(took, nodes.where().node_timeout + slack);
  for (std::size_t i = 0; i + majority <= nodes.size(); ++i) nodes.node(i).resume();
  EXPECT_TRUE(nothing_left(nodes));
}

INSTANTIATE_TEST_SUITE_P(OfNodes, Quorum, testing::Values(3, 4, 5));

TEST(QuorumLease, IsRenewedWithAMinorityStoppedAndTakenUpAgainByThoseThatComeBack) {
  quorum_group nodes;
  client redis{nodes.where()};
  auto held = redis.acquire("door", {.ttl = 3000ms});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 5; }));
  nodes.node(0).pause();
  nodes.node(1).pause();
  std::this_thread::sleep_for(4000ms);  // longer than the ttl
  EXPECT_EQ(held.state(), lease_state::VALID);
  nodes.node(0).resume();
  nodes.node(1).resume();
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 5; }));
  EXPECT_EQ(nodes.owner_at(0, "door"), held.owner());
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumLease, IsLostAtItsDeadlineWhenAMajorityIsSilent) {
  quorum_group nodes;
  client redis{nodes.where()};
  auto held = redis.acquire("door", {.ttl = 900ms});
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).pause();
  EXPECT_TRUE(eventually(900ms + slack, [&] { return held.lost().stop_requested(); }));
  EXPECT_EQ(held.state(), lease_state::LOST);
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).resume();
  static_cast<void>(held.release());
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumLease, IsLostAtOnceWhenAMajorityHasForgottenIt) {
  quorum_group nodes;
  client redis{nodes.where()};
  std::atomic<int> cause{-1};
  auto held =
      redis.acquire("door", {.ttl = 900ms, .on_lost = [&](const loss& what) { cause = static_cast<int>(what.cause); }});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 5; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).number({"DEL", "door"});
  EXPECT_TRUE(eventually(2s, [&] { return cause == static_cast<int>(loss_cause::gone); })) << cause;
}

TEST(QuorumCalls, WorkUnderTheCallersOwner) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  const auto got = redis.try_acquire("door", "me", 2000ms);
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_GT(got->fence, 0U);
  EXPECT_TRUE(redis.extend("door", "me", 2000ms));
  EXPECT_EQ(redis.try_acquire("door", "you", 2000ms).code(), errc::held);
  EXPECT_EQ(redis.extend("door", "you", 2000ms).code(), errc::not_owner);
  EXPECT_EQ(redis.release("door", "you").code(), errc::not_owner);
  EXPECT_TRUE(redis.release("door", "me"));
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumGuard, ANodeRestartedEmptyDoesNotVoteBeforeMaxTtlHasPassed) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 4000ms}};
  client redis{nodes.where()};
  auto held = redis.acquire("door", {.ttl = 3900ms, .renew = false});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 3; }));
  // Two of three forget the holder. Without the guard they would be a majority for anybody else.
  nodes.node(0).kill();
  nodes.node(0).restart();
  nodes.node(1).kill();
  nodes.node(1).restart();
  client other{nodes.where()};
  const auto start = std::chrono::steady_clock::now();
  const auto got = other.try_acquire("door", {.ttl = 4000ms});
  ASSERT_FALSE(got);
  // Two are young and one says held; two of these answers decide, whichever come first.
  EXPECT_TRUE(got.code() == errc::server_busy || got.code() == errc::held) << got.failure().detail;
  auto next = other.acquire(std::nothrow, "door", {.ttl = 4000ms, .wait = 20000ms});
  ASSERT_TRUE(next) << next.failure().detail;
  EXPECT_EQ(held.state(), lease_state::LOST);  // over before the next one began
  EXPECT_GE(since(start), 3000ms);
}

TEST(QuorumGuard, AFreshQuorumComesOfAgeByItself) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1000ms, .fresh = true}};
  client redis{nodes.where()};
  auto got = redis.acquire(std::nothrow, "door", {.ttl = 500ms, .wait = 8000ms});
  ASSERT_TRUE(got) << got.failure().detail;
}

TEST(QuorumGuard, AFreshQuorumThatHasBeenUpForLongIsOpenedAtOnce) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 500ms, .fresh = true}};
  std::this_thread::sleep_for(3200ms);  // whole seconds of uptime, one of them lost to rounding
  client redis{nodes.where()};
  const auto got = redis.try_acquire("door", {.ttl = 400ms});
  ASSERT_TRUE(got) << got.failure().detail;
}

TEST(QuorumRefusals, ATtlBeyondMaxTtl) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 2000ms}};
  client redis{nodes.where()};
  const auto got = redis.try_acquire("door", {.ttl = 2001ms});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::bad_option);
  EXPECT_TRUE(has(got.failure().detail, "max_ttl")) << got.failure().detail;
  auto held = redis.acquire("door", {.ttl = 1000ms});
  EXPECT_EQ(held.extend(std::nothrow, 2001ms).code(), errc::bad_option);
  EXPECT_EQ(held.state(), lease_state::VALID);
}

TEST(QuorumRefusals, AClientWithAnotherMaxTtl) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 2000ms}};
  settings other = nodes.where();
  other.max_ttl = 5000ms;
  client redis{other};
  const auto got = redis.try_acquire("door", {.ttl = 1000ms});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::bad_option);
  EXPECT_TRUE(has(got.failure().detail, "2000 ms on the quorum")) << got.failure().detail;
}

TEST(QuorumRefusals, WhatIsMoreThanAPlainLockNamesTheDeployment) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  const auto refused = [&](auto&& make) {
    try {
      make();
      ADD_FAILURE() << "not refused";
    } catch (const error& problem) {
      EXPECT_EQ(problem.kind(), errc::bad_option);
      EXPECT_TRUE(has(problem.what(), "redis+quorum://")) << problem.what();
    }
  };
  const options how{.ttl = 1000ms};
  refused([&] { redisson_shared_mutex{redis, "s", how}; });
  EXPECT_EQ(redis.try_acquire("x", {.ttl = 1000ms, .signal_prefix = "signal:"}).code(), errc::bad_option);
  EXPECT_TRUE(nodes.left_behind().empty());
}

TEST(QuorumFamily, AMultiLockIsTakenInOrder) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  multi_lock both{redis, {"a", "b"}, {.ttl = 2000ms}};
  ASSERT_TRUE(both.try_lock());
  EXPECT_EQ(redis.try_acquire("a", {.ttl = 2000ms}).code(), errc::held);
  EXPECT_EQ(redis.try_acquire("b", {.ttl = 2000ms}).code(), errc::held);
  both.unlock();
  EXPECT_TRUE(nothing_left(nodes));
}

}  // namespace
}  // namespace holdfast::test
