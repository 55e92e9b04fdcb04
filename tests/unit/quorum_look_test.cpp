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
  made.owner = std::move(owner);
  made.remaining = remaining;
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

TEST(QuorumLookAgrees, AMeetingIsAsFarAsAMajorityHasCome) {
  const auto met = [](std::uint64_t phase, std::uint64_t missing) {
    lock_info made = free_lock();
    made.layout = lock_layout::meeting;
    made.meeting = lock_meeting{.expected = 3, .members = 3, .missing = missing, .phase = phase};
    return made;
  };
  const auto one = agree(std::vector{met(2, 3), met(1, 1), met(1, 2), free_lock()}, 5);
  ASSERT_TRUE(one.meeting);
  EXPECT_EQ(one.meeting->phase, 1U);
  EXPECT_EQ(one.meeting->missing, 2U);
  EXPECT_EQ(agree(std::vector{met(2, 3), met(1, 1), met(2, 1)}, 3).meeting->missing, 3U);
  EXPECT_FALSE(agree(std::vector{met(2, 3), met(1, 1), free_lock()}, 5).meeting) << "two of five";
  std::vector<lock_list> lists(2);
  for (lock_list& each : lists) each.locks.push_back(met(1, 1));
  EXPECT_EQ(agree(std::move(lists), 3).locks.size(), 1U);
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
