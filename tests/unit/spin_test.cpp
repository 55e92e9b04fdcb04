// When a look for an answer is worth its while (net/spin.hpp).
#include "net/spin.hpp"

#include <gtest/gtest.h>

namespace holdfast::net {
namespace {

// How many answers are slept over before the next look.
int slept_over(spin& policy) {
  int count = 0;
  while (!policy.worthwhile()) ++count;
  return count;
}

TEST(Spin, LooksEveryTimeWhileThatFindsSomething) {
  spin policy{true};
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(policy.worthwhile());
    policy.ended(true);
  }
}

TEST(Spin, LooksMoreAndMoreRarelyWhileItIsInVainButNeverGivesUp) {
  spin policy{true};
  for (const int expected : {0, 1, 3, 7, 15, 31, 63, 63, 63}) {
    EXPECT_EQ(slept_over(policy), expected);
    policy.ended(false);
  }
}

TEST(Spin, OneAnswerInTimeBringsItBack) {
  spin policy{true};
  for (int i = 0; i < 20; ++i) {
    slept_over(policy);
    policy.ended(false);
  }
  slept_over(policy);
  policy.ended(true);
  EXPECT_TRUE(policy.worthwhile());
  policy.ended(false);
  EXPECT_EQ(slept_over(policy), 1);
}

TEST(Spin, SwitchedOffNeverLooks) {
  spin policy{false};
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(policy.worthwhile());
}

}  // namespace
}  // namespace holdfast::net
