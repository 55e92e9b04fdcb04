// What several nodes say about a lock, as one answer.
#include "lock/quorum_look.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

lock_info held_by(std::string owner, std::chrono::milliseconds remaining) {
  lock_info made;
  made.name = made.key = "door";
  made.held = true;
  made.layout = lock_layout::plain;
  made.type = "string";
  made.owner = owner;
  made.held_by = {{std::move(owner), {}, {}, 1, {}}};
  made.remaining = remaining;
  return made;
}

lock_holder share(std::string owner, std::uint64_t weight, std::chrono::milliseconds remaining) {
  return {std::move(owner), {}, {}, weight, remaining};
}

lock_info shared_by(std::vector<lock_holder> holders) {
  lock_info made = held_by(holders.front().owner, holders.back().remaining.value());
  made.layout = lock_layout::shares;
  made.type = "zset";
  made.held_by = std::move(holders);
  return made;
}

lock_info free_lock(std::vector<lock_waiter> waiters = {}) {
  lock_info made;
  made.name = made.key = "door";
  made.waiting = waiters.size();
  made.waiters = std::move(waiters);
  return made;
}

lock_waiter waiter(std::string owner, std::chrono::microseconds waited) {
  return {std::move(owner), {}, {}, waited, 1};
}

TEST(QuorumLookAgrees, OnWhomAMajorityOfAllNodesNames) {
  EXPECT_EQ(agree(std::vector{held_by("a", 9s), held_by("a", 8s), held_by("b", 7s)}, 3).owner, "a");
  EXPECT_FALSE(agree(std::vector{held_by("a", 9s), held_by("a", 8s), held_by("b", 7s)}, 5).held) << "two of five";
  EXPECT_FALSE(agree(std::vector{held_by("a", 9s), held_by("a", 8s), free_lock(), free_lock()}, 4).held) << "a half";
  EXPECT_TRUE(agree(std::vector{held_by("a", 9s), held_by("a", 8s), held_by("a", 1s)}, 5).held) << "two are down";
}

TEST(QuorumLookAgrees, ForAsLongAsAMajorityGoesOn) {
  const auto seen = agree(std::vector{held_by("a", 1s), held_by("a", 9s), held_by("a", 5s), free_lock()}, 5);
  EXPECT_EQ(seen.remaining, 1s);
  auto for_ever = held_by("a", 0s);
  for_ever.remaining.reset();
  EXPECT_EQ(agree(std::vector{for_ever, held_by("a", 5s)}, 3).remaining, 5s);
  EXPECT_EQ(agree(std::vector{for_ever, for_ever}, 3).remaining, std::nullopt);
}

TEST(QuorumLookAgrees, OnEachOfSeveralHolders) {
  const auto seen =
      agree(std::vector{shared_by({share("a", 1, 1s), share("b", 1, 5s)}), shared_by({share("b", 1, 4s)}),
                        shared_by({share("a", 1, 2s), share("b", 1, 6s), share("c", 1, 9s)}), free_lock()},
            3);
  ASSERT_EQ(seen.held_by.size(), 2U) << "c has one vote";
  EXPECT_EQ(seen.held_by[0].owner, "a");
  EXPECT_EQ(seen.held_by[0].remaining, 1s);
  EXPECT_EQ(seen.held_by[1].owner, "b");
  EXPECT_EQ(seen.held_by[1].remaining, 5s);
  EXPECT_EQ(seen.holders, 2U);
  EXPECT_EQ(seen.in_use, 2U);
  EXPECT_EQ(seen.owner, "a");
  EXPECT_EQ(seen.remaining, 5s) << "as long as the last of them";
}

TEST(QuorumLookAgrees, NobodyHoldsWhatEachHasOnAMinority) {
  const auto seen = agree(
      std::vector{shared_by({share("a", 1, 1s)}), shared_by({share("b", 1, 4s)}), shared_by({share("c", 1, 9s)})}, 5);
  EXPECT_FALSE(seen.held);
  EXPECT_TRUE(seen.held_by.empty());
}

TEST(QuorumLookAgrees, AWriterOnAMinorityIsAReaderAndIsCountedOnceOnANode) {
  const auto seen = agree(std::vector{shared_by({share("a", 100, 3s)}), shared_by({share("a", 1, 3s)}),
                                      shared_by({share("a", 1, 3s), share("a", 100, 3s)})},
                          3);
  ASSERT_EQ(seen.held_by.size(), 1U);
  EXPECT_EQ(seen.held_by[0].weight, 1U) << "its downgrade has not come to the first node";
  EXPECT_FALSE(agree(std::vector{shared_by({share("a", 1, 3s), share("a", 100, 3s)}), free_lock()}, 3).held);
}

TEST(QuorumLookAgrees, EveryWaiterOnceTheLongestInFront) {
  const auto seen = agree(std::vector{free_lock({waiter("x", 3s), waiter("y", 1s)}), free_lock({waiter("y", 4s)}),
                                      free_lock({waiter("z", 2s)})},
                          3);
  ASSERT_EQ(seen.waiters.size(), 3U);
  EXPECT_EQ(seen.waiting, 3U);
  EXPECT_EQ(seen.waiters[0].owner, "y");
  EXPECT_EQ(seen.waiters[1].owner, "x");
  EXPECT_EQ(seen.waiters[2].owner, "z");
}

TEST(QuorumLookAgrees, ListsAreUnitedAndMinoritiesLeftOut) {
  lock_list one{.locks = {held_by("a", 1s)}, .complete = true, .keys = 1000};
  lock_list two{.locks = {held_by("a", 1s)}, .complete = false, .keys = 2000};
  lock_list three;
  auto alone = held_by("b", 1s);
  alone.name = "alone";
  three.locks = {alone};
  const auto seen = agree(std::vector{one, two, three}, 3);
  ASSERT_EQ(seen.locks.size(), 1U);
  EXPECT_EQ(seen.locks[0].name, "door");
  EXPECT_FALSE(seen.complete);
  EXPECT_EQ(seen.keys, 2000U);
}

}  // namespace
}  // namespace holdfast::lock
