// The semaphore on a quorum: permits as numbered slots, each of which has a majority of its own
// (docs/quorum_family.md). What becomes of permits while they are held: quorum_permits_held_test.cpp.
#include <gtest/gtest.h>
#include <holdfast/inspect.hpp>

#include <atomic>
#include <future>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/quorum_semaphore_ground.hpp"

namespace holdfast::test {
namespace {

// Longer than any of these tests waits: nothing goes by lapsing.
options long_hold() { return {.ttl = 60s}; }

bool all_wait(quorum_group& nodes, const std::string& name, long long count) {
  return eventually(patience, [&] {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.node(i).number({"ZCARD", waiters_of(name)}) != count) return false;
    }
    return true;
  });
}

class QuorumSemaphore : public testing::TestWithParam<std::size_t> {
 protected:
  quorum_group nodes{{.nodes = GetParam(), .max_ttl = 60s}};
  std::size_t majority = GetParam() / 2 + 1;
  client redis{nodes.where()};
  client other{nodes.where()};
};

TEST_P(QuorumSemaphore, TakesKOfNAndGivesThemBack) {
  semaphore pool{redis, "pool", 3, long_hold()};
  EXPECT_EQ(pool.max(), 3U);
  pool.acquire();
  pool.acquire(2);
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_FALSE(pool.try_acquire());
  EXPECT_FALSE(pool.try_acquire_for(30ms));
  std::thread{[&] { pool.release(2); }}.join();  // any thread may
  EXPECT_TRUE(pool.try_acquire());
  pool.release(2);  // two of one
  EXPECT_EQ(pool.release(std::nothrow).code(), errc::not_owner);
  EXPECT_TRUE(nothing_left(nodes)) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumSemaphore, ThereAreNotMoreThanN) {
  semaphore here{redis, "pool", 3, long_hold()};
  semaphore there{other, "pool", 3, long_hold()};
  std::vector<lease> held;
  for (semaphore* each : {&here, &there, &here}) {
    held.push_back(each->take());
    EXPECT_EQ(held.back().state(), lease_state::VALID);
    // Before the next: what one node gave otherwise is called back meanwhile, and might be in its way there.
    EXPECT_TRUE(on_all(nodes, "pool", held.back().owner()));
  }
  const auto refused = there.try_take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::held) << refused.failure().detail;
  EXPECT_EQ(held[1].release(), release_outcome::released);
  EXPECT_TRUE(here.try_take());
  held.clear();
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumSemaphore, FencesIncreaseFromHoldToHold) {
  semaphore here{redis, "pool", 2, long_hold()};
  semaphore there{other, "pool", 2, long_hold()};
  std::uint64_t last = 0;
  std::optional<lease> before;
  for (int i = 0; i < 20; ++i) {
    lease next = (i % 2 == 0 ? here : there).take();
    EXPECT_GT(next.fence(), last);
    last = next.fence();
    before = std::move(next);
  }
}

TEST_P(QuorumSemaphore, WhatCannotBeIsRefusedAtOnce) {
  semaphore pool{redis, "pool", 3, long_hold()};
  const auto refused = pool.acquire(std::nothrow, 4);
  EXPECT_EQ(refused.code(), errc::bad_option);
  EXPECT_TRUE(has(refused.failure().detail, "capacity is 3")) << refused.failure().detail;
  EXPECT_EQ(pool.take(std::nothrow, 0).code(), errc::bad_option);
  EXPECT_EQ(pool.set_capacity(std::nothrow, 0).code(), errc::bad_option);
  EXPECT_EQ(pool.set_capacity(std::nothrow, 10'001).code(), errc::bad_option);
  EXPECT_TRUE(has(pool.set_capacity(std::nothrow, 10'001).failure().detail, "10000 on a quorum"));
  EXPECT_THROW((semaphore{redis, "pool", 10'001, long_hold()}), error);
  EXPECT_THROW((semaphore{redis, "pool", 3, {.ttl = 61s}}), error) << "longer than max_ttl";
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumSemaphore, SurvivesTheLossOfAMinority) {
  semaphore pool{redis, "pool", 2, long_hold()};
  const lease before = pool.take();
  for (std::size_t i = 0; i < nodes.size() - majority; ++i) nodes.node(i).kill();
  for (int i = 0; i < 5; ++i) {
    auto got = pool.try_take();
    ASSERT_TRUE(got) << got.failure().detail;
    EXPECT_EQ(pool.try_take().code(), errc::held);
    EXPECT_EQ(got->release(), release_outcome::released);
  }
  EXPECT_EQ(before.state(), lease_state::VALID);
  pool.set_capacity(3);
  EXPECT_TRUE(pool.try_take(2));
}

TEST_P(QuorumSemaphore, WithoutAMajorityIsUnreachableInTime) {
  semaphore pool{redis, "pool", 2, long_hold()};
  { const lease warm = pool.take(); }
  for (std::size_t i = 0; i + majority <= nodes.size(); ++i) nodes.node(i).pause();
  const auto start = std::chrono::steady_clock::now();
  const auto got = pool.try_take();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  const auto set = pool.set_capacity(std::nothrow, 3);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.code(), errc::unreachable) << set.failure().detail;
  EXPECT_EQ(pool.max(), 2U);
  EXPECT_LT(since(start), patience);
  for (std::size_t i = 0; i + majority <= nodes.size(); ++i) nodes.node(i).resume();
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("pool") == 0; }));
}

TEST_P(QuorumSemaphore, AReleaseLetsTheNextOneIn) {
  semaphore here{redis, "pool", 2, long_hold()};
  semaphore there{other, "pool", 2, long_hold()};
  std::optional<lease> first = here.take(2);
  auto one = std::async(std::launch::async, [&] { return there.take().fence(); });
  auto two = std::async(std::launch::async, [&] { return there.take().fence(); });
  ASSERT_TRUE(all_wait(nodes, "pool", 2));
  const auto fence = first->fence();
  const auto start = std::chrono::steady_clock::now();
  first.reset();
  ASSERT_EQ(one.wait_for(patience), std::future_status::ready);
  ASSERT_EQ(two.wait_for(patience), std::future_status::ready);
  EXPECT_LT(since(start), 10s) << "long before the ttl";
  EXPECT_GT(one.get(), fence);
  EXPECT_GT(two.get(), fence);
  EXPECT_GE(other.stats().woken_by_push, 1U) << "both were invited at once";
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumSemaphore, WhoeverWantsMoreThanIsFreeIsPassedOver) {
  semaphore pool{redis, "pool", 3, long_hold()};
  std::optional<lease> one = pool.take();
  const lease two = pool.take();
  const lease three = pool.take();
  std::stop_source stop;
  auto with = long_hold();
  with.stop = stop.get_token();
  auto many = std::async(std::launch::async, [&] { return pool.take(std::nothrow, 3, with).code(); });
  ASSERT_TRUE(all_wait(nodes, "pool", 1));
  auto few = std::async(std::launch::async, [&] { return pool.take().fence(); });
  ASSERT_TRUE(all_wait(nodes, "pool", 2));
  one.reset();
  ASSERT_EQ(few.wait_for(patience), std::future_status::ready);
  few.get();
  stop.request_stop();
  EXPECT_EQ(many.get(), errc::cancelled);
}

TEST_P(QuorumSemaphore, ALargerCapacityLetsWaitersInAtOnce) {
  semaphore here{redis, "pool", 1, long_hold()};
  semaphore there{other, "pool", 1, long_hold()};
  const lease held = here.take();
  auto one = std::async(std::launch::async, [&] { return there.take(); });
  auto two = std::async(std::launch::async, [&] { return there.take(); });
  ASSERT_TRUE(all_wait(nodes, "pool", 2));
  here.set_capacity(3);
  EXPECT_EQ(here.max(), 3U);
  ASSERT_EQ(one.wait_for(patience), std::future_status::ready);
  ASSERT_EQ(two.wait_for(patience), std::future_status::ready);
  const lease first = one.get();
  const lease second = two.get();
  EXPECT_EQ(there.try_take().code(), errc::held) << "for all processes, whatever they were made with";
  EXPECT_TRUE(nodes.without_expiry().empty());
}

TEST_P(QuorumSemaphore, UnderASmallerCapacityHoldersFinish) {
  semaphore here{redis, "pool", 4, long_hold()};
  semaphore there{other, "pool", 4, long_hold()};
  std::vector<lease> held;
  for (int i = 0; i < 4; ++i) held.push_back(here.take());
  here.set_capacity(2);
  EXPECT_EQ(there.try_take().code(), errc::held);
  EXPECT_EQ(there.try_take(3).code(), errc::bad_option) << "the capacity is 2";
  for (lease& each : held) {
    EXPECT_EQ(each.state(), lease_state::VALID);
    EXPECT_NO_THROW(each.extend(30s)) << "also of a slot beyond the capacity";
  }
  held.pop_back();
  held.pop_back();
  EXPECT_EQ(there.try_take().code(), errc::held) << "two are still in";
  held.pop_back();
  EXPECT_TRUE(there.try_take());
}

TEST_P(QuorumSemaphore, AMinorityThatBelievesInALargerCapacityLetsNobodyIn) {
  semaphore pool{redis, "pool", 2, long_hold()};
  const lease held = pool.take(2);
  for (std::size_t i = 0; i + majority < nodes.size(); ++i) {
    static_cast<void>(nodes.node(i).text({"SET", "{pool}:capacity", "9", "PX", "60000"}));
  }
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(pool.try_take());
  EXPECT_TRUE(on_all(nodes, "pool", held.owner()));
}

TEST_P(QuorumSemaphore, IsLookedAtAsOnOneRedis) {
  semaphore pool{redis, "pool", 5, long_hold()};
  const lease one = pool.take(1);
  const lease two = pool.take(3);
  ASSERT_TRUE(on_all(nodes, "pool", one.owner()));
  ASSERT_TRUE(on_all(nodes, "pool", two.owner()));
  const auto seen = inspect(other, "pool");
  ASSERT_TRUE(seen) << seen.failure().detail;
  EXPECT_TRUE(seen->held);
  EXPECT_EQ(seen->kind, lock_kind::semaphore);
  EXPECT_EQ(seen->layout, lock_layout::shares);
  EXPECT_EQ(seen->capacity, 5U);
  EXPECT_EQ(seen->in_use, 4U);
  ASSERT_EQ(seen->held_by.size(), 2U);
  for (const lock_holder& each : seen->held_by) {
    EXPECT_EQ(each.weight, each.owner == one.owner() ? 1U : 3U);
    EXPECT_TRUE(each.owner == one.owner() || each.owner == two.owner()) << each.owner;
    EXPECT_LE(each.remaining, 60s);
  }
  const auto all = list(other);
  ASSERT_TRUE(all) << all.failure().detail;
  ASSERT_EQ(all->locks.size(), 1U);
  EXPECT_EQ(all->locks[0].in_use, 4U);
  EXPECT_EQ(all->locks[0].kind, lock_kind::semaphore);
}

TEST_P(QuorumSemaphore, IsTakenFromAllWhenAnOperatorBreaksIt) {
  std::atomic<int> lost{0};
  auto how = long_hold();
  how.on_lost = [&](const loss& what) { lost += what.cause == loss_cause::broken ? 1 : 100; };
  semaphore pool{redis, "pool", 3, how};
  pool.acquire(1);
  pool.acquire(2);
  EXPECT_EQ(break_lock(other, "pool", "somebody").code(), errc::not_owner);
  auto waiter = std::async(std::launch::async, [&] {
    return semaphore{other, "pool", 3, long_hold()}.take(3).fence();
  });
  ASSERT_TRUE(all_wait(nodes, "pool", 1));
  const auto broken = break_lock(other, "pool", {});
  ASSERT_TRUE(broken) << broken.failure().detail;
  EXPECT_EQ(broken->holders, 2U);
  EXPECT_TRUE(broken->told);
  EXPECT_TRUE(eventually(patience, [&] { return lost == 2; })) << lost;
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  waiter.get();
  EXPECT_TRUE(nothing_left(nodes));
}

INSTANTIATE_TEST_SUITE_P(OfNodes, QuorumSemaphore, testing::Values(3, 4, 5));

}  // namespace
}  // namespace holdfast::test
