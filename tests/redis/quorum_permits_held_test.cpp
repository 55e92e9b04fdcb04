// Permits of a semaphore on a quorum while they are held: kept by nodes that come back, lost when a majority has
// forgotten them or is silent, and ended when their holder is dead. Taking them and giving them back:
// semaphore_scenes_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "redis/quorum_semaphore_ground.hpp"

namespace holdfast::test {
namespace {

TEST(QuorumPermitsHeld, AreNotMixedUpWithAnotherKindOfLock) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  semaphore pool{redis, "door", 2, {.ttl = 2000ms}};
  const lease held = redis.acquire("door", {.ttl = 2000ms});
  EXPECT_EQ(pool.try_take().code(), errc::wrong_type);
  for (std::size_t i = 0; i < 3; ++i) static_cast<void>(nodes.node(i).number({"HSET", "hash", "field", "value"}));
  semaphore hash{redis, "hash", 2, {.ttl = 2000ms}};
  EXPECT_EQ(hash.try_take().code(), errc::wrong_type);
}

TEST(QuorumPermitsHeld, AreTakenUpAgainByNodesThatComeBack) {
  quorum_group nodes;
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 5, {.ttl = 1500ms}};
  const lease held = pool.take(2);
  ASSERT_TRUE(on_all(nodes, "pool", held.owner()));
  for (std::size_t i = 0; i < 2; ++i) nodes.node(i).number({"DEL", "pool"});
  EXPECT_TRUE(on_all(nodes, "pool", held.owner())) << "by the next renewal";
  const auto mine = slots_at(nodes, 2, "pool", held.owner());
  const auto one_of_them = mine.substr(0, mine.find(','));
  // A node that has other slots gives them up, and takes the right ones.
  const auto vote = nodes.node(0).command({"HGET", "pool", std::string{held.owner()}}).text;
  nodes.node(0).number(
      {"HSET", "pool", std::string{held.owner()}, vote.substr(0, vote.rfind(' ') + 1) + one_of_them + ",77"});
  EXPECT_TRUE(on_all(nodes, "pool", held.owner()));
  EXPECT_EQ(slots_at(nodes, 0, "pool", held.owner()), slots_at(nodes, 4, "pool", held.owner()));
  EXPECT_EQ(held.state(), lease_state::VALID);
}

TEST(QuorumPermitsHeld, AreLostAtOnceWhenAMajorityHasForgottenThem) {
  quorum_group nodes;
  client redis{nodes.where()};
  std::atomic<int> cause{-1};
  semaphore pool{
      redis, "pool", 2, {.ttl = 900ms, .on_lost = [&](const loss& what) { cause = static_cast<int>(what.cause); }}};
  pool.acquire();
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("pool") == 5; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).number({"DEL", "pool"});
  EXPECT_TRUE(eventually(2s, [&] { return cause == static_cast<int>(loss_cause::gone); })) << cause;
}

TEST(QuorumPermitsHeld, AreLostAtTheirDeadlineWhenAMajorityIsSilent) {
  quorum_group nodes;
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 2, {.ttl = 900ms}};
  lease held = pool.take();
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).pause();
  EXPECT_TRUE(eventually(2s, [&] { return held.lost().stop_requested(); }));
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).resume();
  static_cast<void>(held.release());
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumPermitsHeld, OfAHolderThatCrashedEndByThemselves) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 2, {.ttl = 1000ms}};
  const lease alive = pool.take();
  // As a process leaves it that was killed: votes that nobody renews.
  for (std::size_t i = 0; i < 3; ++i) {
    const auto vote = nodes.node(i).command({"HGET", "pool", std::string{alive.owner()}}).text;
    ASSERT_FALSE(vote.empty());
    const auto slot = vote.substr(vote.rfind(' ') + 1);
    const std::string others = std::to_string(1 - std::stoi(slot));
    nodes.node(i).number({"HSET", "pool", "dead", vote.substr(0, vote.rfind(' ') + 1) + others});
  }
  EXPECT_EQ(pool.try_take().code(), errc::held);
  auto got = pool.take(std::nothrow, 1, {.ttl = 1000ms, .wait = 5s});
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(alive.state(), lease_state::VALID);
}

TEST(QuorumPermitsHeld, ANodeRestartedEmptyDoesNotVoteBeforeMaxTtlHasPassed) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 4000ms}};
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 1, {.ttl = 3900ms, .renew = false}};
  const lease held = pool.take();
  nodes.node(2).kill();  // of the majority two are left
  nodes.node(1).kill();
  nodes.node(1).restart();
  client other{nodes.where()};
  semaphore same{other, "pool", 1, {.ttl = 1000ms}};
  while (held.state() != lease_state::LOST) {
    EXPECT_FALSE(same.try_take()) << "it would be the second holder";
    std::this_thread::sleep_for(20ms);
  }
}

}  // namespace
}  // namespace holdfast::test
