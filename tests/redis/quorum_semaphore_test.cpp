// The semaphore on a quorum: permits as numbered slots, each of which has a majority of its own
// (docs/quorum_family.md). What becomes of permits while they are held: quorum_permits_held_test.cpp; what is the same
// on one server: semaphore_scenes_test.cpp.
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <stop_token>

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

TEST_P(QuorumSemaphore, ItsLimitsAreThoseOfAQuorum) {
  semaphore pool{redis, "pool", 3, long_hold()};
  EXPECT_TRUE(has(pool.set_capacity(std::nothrow, 10'001).failure().detail, "10000 on a quorum"));
  EXPECT_THROW((semaphore{redis, "pool", 3, {.ttl = 61s}}), error) << "longer than max_ttl";
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

TEST_P(QuorumSemaphore, AMinorityThatBelievesInALargerCapacityLetsNobodyIn) {
  semaphore pool{redis, "pool", 2, long_hold()};
  const lease held = pool.take(2);
  for (std::size_t i = 0; i + majority < nodes.size(); ++i) {
    static_cast<void>(nodes.node(i).text({"SET", "{pool}:capacity", "9", "PX", "60000"}));
  }
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(pool.try_take());
  EXPECT_TRUE(on_all(nodes, "pool", held.owner()));
}

INSTANTIATE_TEST_SUITE_P(OfNodes, QuorumSemaphore, testing::Values(3, 4, 5));

}  // namespace
}  // namespace holdfast::test
