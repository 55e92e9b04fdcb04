// Looking at readers and writers on a quorum, and taking the lock from them.
#include <gtest/gtest.h>
#include <holdfast/inspect.hpp>

#include <atomic>
#include <future>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

struct QuorumSharedLook : testing::Test {
  quorum_group nodes{{.nodes = 5}};
  client redis{nodes.where()};
  client other{nodes.where()};
  const options how{.ttl = 2900ms};

  [[nodiscard]] lock_info seen() { return inspect(redis, "door").value(); }
};

TEST_F(QuorumSharedLook, EveryReaderIsNamed) {
  lease one = acquire_shared(redis, "door", how);
  lease two = acquire_shared(other, "door", how);
  ASSERT_TRUE(eventually(patience, [&] { return seen().holders == 2; }));
  nodes.node(0).kill();
  nodes.node(1).kill();
  const auto found = seen();
  EXPECT_TRUE(found.held);
  EXPECT_EQ(found.layout, lock_layout::shares);
  EXPECT_EQ(found.kind, lock_kind::shared_mutex);
  EXPECT_EQ(found.in_use, 2U);
  ASSERT_EQ(found.held_by.size(), 2U);
  EXPECT_EQ(found.held_by[0].owner, one.owner()) << "the first to end";
  EXPECT_EQ(found.held_by[1].owner, two.owner());
  EXPECT_LE(found.held_by[1].remaining, 2900ms);
  EXPECT_GT(found.remaining, 0ms);
  EXPECT_EQ(found.contact, contact::answered);
}

TEST_F(QuorumSharedLook, WriterWaitersAndTheWayDown) {
  lease writer = acquire_exclusive(redis, "door", how);
  auto reader = std::async(std::launch::async, [&] { return acquire_shared(other, "door", how); });
  ASSERT_TRUE(eventually(patience, [&] { return seen().waiting == 1; }));
  auto found = seen();
  ASSERT_EQ(found.held_by.size(), 1U);
  EXPECT_EQ(found.held_by[0].weight, 100'000'000U);
  EXPECT_EQ(found.fence, writer.fence());
  EXPECT_EQ(found.waiters.at(0).weight, 1U);
  ASSERT_TRUE(downgrade(writer));
  const lease in = reader.get();
  ASSERT_TRUE(eventually(patience, [&] { return seen().in_use == 2; }));
  EXPECT_EQ(list(redis).value().locks.at(0).holders, 2U);
  ASSERT_TRUE(eventually(patience, [&] { return seen().waiting == 0; }));
}

TEST_F(QuorumSharedLook, AMinoritysSharesAreNobodysLock) {
  const auto put = [&](std::size_t node) {
    nodes.node(node).number({"ZADD", "door", "1", "#", "4102444800000000", "1:somebody"});
    nodes.node(node).number({"PEXPIRE", "door", "60000"});
  };
  put(0);
  put(1);
  EXPECT_FALSE(seen().held);
  EXPECT_TRUE(list(redis).value().locks.empty());
  put(2);
  EXPECT_EQ(seen().owner, "somebody");
}

TEST_F(QuorumSharedLook, BreakingTakesItFromAllReadersAndLetsTheWriterIn) {
  std::atomic<int> told{0};
  options hears = how;
  hears.on_lost = [&](const loss& what) { told += what.cause == loss_cause::broken ? 1 : 0; };
  const lease one = acquire_shared(redis, "door", hears);
  const lease two = acquire_shared(other, "door", hears);
  ASSERT_TRUE(eventually(patience, [&] { return seen().holders == 2; }));
  auto writer = std::async(std::launch::async, [&] { return acquire_exclusive(other, "door", how).fence(); });
  ASSERT_TRUE(eventually(patience, [&] { return seen().waiting == 1; }));
  EXPECT_EQ(break_lock(redis, "door", "somebody else").code(), errc::not_owner);
  EXPECT_EQ(two.state(), lease_state::VALID);
  const auto done = break_lock(redis, "door", two.owner());
  ASSERT_TRUE(done) << done.failure().detail;
  EXPECT_EQ(done->holders, 2U);
  EXPECT_TRUE(done->told);
  EXPECT_TRUE(eventually(patience, [&] { return told == 2; }));
  EXPECT_GT(writer.get(), std::max(one.fence(), two.fence()));
  EXPECT_TRUE(eventually(patience, [&] { return nodes.left_behind().empty(); }));
  EXPECT_EQ(break_lock(redis, "door", {}).code(), errc::not_owner) << "nobody holds it";
}

TEST_F(QuorumSharedLook, BreakingNeedsAMajority) {
  const lease held = acquire_exclusive(redis, "door", how);
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).kill();
  EXPECT_EQ(break_lock(other, "door", {}).code(), errc::unreachable);
}

// Whoever was broken and has not heard of it must not become the writer.
TEST_F(QuorumSharedLook, ABrokenReaderIsNotUpgraded) {
  lease mine = acquire_shared(redis, "door", how);
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 5; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).number({"DEL", "door"});
  EXPECT_EQ(try_upgrade(mine, how).code(), errc::lost);
}

}  // namespace
}  // namespace holdfast::test
