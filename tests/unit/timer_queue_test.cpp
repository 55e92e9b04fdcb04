// timer_queue against a reference that is slow and obviously right; and that nothing stays behind (D4).
#include "runtime/timer_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace holdfast::runtime {
namespace {

using std::chrono::milliseconds;

struct counted final : timer {
  int fired = 0;
  void fire(time_point /*now*/) override { ++fired; }
};

constexpr time_point at(int ms) { return time_point{milliseconds{ms}}; }

TEST(TimerQueue, AnEmptyOneIsNeverDue) {
  timer_queue queue;
  EXPECT_EQ(queue.next(), never);
  EXPECT_EQ(queue.pop_due(never), nullptr);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(TimerQueue, PopsInOrderAndNotBeforeTheTime) {
  timer_queue queue;
  counted a;
  counted b;
  queue.schedule(a, at(20));
  queue.schedule(b, at(10));
  EXPECT_EQ(queue.next(), at(10));
  EXPECT_EQ(queue.pop_due(at(9)), nullptr);
  EXPECT_EQ(queue.pop_due(at(10)), &b);
  EXPECT_FALSE(b.scheduled());
  EXPECT_EQ(queue.pop_due(at(19)), nullptr);
  EXPECT_EQ(queue.pop_due(at(25)), &a);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(TimerQueue, SchedulingAgainMovesAndNeverCancels) {
  timer_queue queue;
  counted a;
  counted b;
  queue.schedule(a, at(10));
  queue.schedule(b, at(15));
  queue.schedule(a, at(20));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.next(), at(15));
  queue.schedule(a, at(5));
  EXPECT_EQ(queue.next(), at(5));
  queue.schedule(a, never);
  EXPECT_FALSE(a.scheduled());
  EXPECT_EQ(queue.size(), 1U);
  queue.cancel(a);
  EXPECT_EQ(queue.size(), 1U) << "cancelling what is not scheduled does nothing";
}

TEST(TimerQueue, ManyCyclesLeaveNothingBehind) {
  timer_queue queue;
  counted stays;
  queue.schedule(stays, at(1'000'000));
  for (int i = 0; i < 5000; ++i) {
    counted lease;
    queue.schedule(lease, at(i));
    queue.schedule(lease, at(i + 10));
    queue.cancel(lease);
  }
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.pop_due(at(999'999)), nullptr);
}

TEST(TimerQueue, BehavesAsAReferenceUnderRandomUse) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 roll{seed};
  timer_queue queue;
  std::vector<counted> timers(64);
  std::map<timer*, time_point> due;  // the reference
  const auto first = [&] {
    time_point soonest = never;
    for (const auto& [who, when] : due) soonest = std::min(soonest, when);
    return soonest;
  };
  for (int step = 0; step < 100'000; ++step) {
    counted& one = timers[roll() % timers.size()];
    const time_point when = at(static_cast<int>(roll() % 1000));
    switch (roll() % 4) {
      case 0:
      case 1:
        queue.schedule(one, when);
        due[&one] = when;
        break;
      case 2:
        queue.cancel(one);
        due.erase(&one);
        break;
      default: {
        timer* const popped = queue.pop_due(when);
        if (popped == nullptr) {
          ASSERT_GT(first(), when);
          break;
        }
        ASSERT_LE(first(), when);
        ASSERT_TRUE(due.contains(popped));
        ASSERT_EQ(due.at(popped), first());
        ASSERT_FALSE(popped->scheduled());
        due.erase(popped);
      }
    }
    ASSERT_EQ(queue.size(), due.size());
    ASSERT_EQ(queue.next(), first());
    ASSERT_EQ(one.scheduled(), due.contains(&one));
  }
  time_point last{};
  while (timer* const popped = queue.pop_due(never)) {
    ASSERT_GE(due.at(popped), last);
    last = due.at(popped);
    due.erase(popped);
  }
  EXPECT_TRUE(due.empty());
}

}  // namespace
}  // namespace holdfast::runtime
