#include "lock/recursion.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

const visitor first{1, {}};
const visitor second{2, {}};
const visitor job{0, "job-42"};

TEST(Recursion, TheFirstAsksAndTheSameEntersAgain) {
  recursion inside;
  EXPECT_EQ(inside.enter(first), entering::first);
  inside.arrived();
  EXPECT_EQ(inside.enter(first), entering::again);
  EXPECT_EQ(inside.depth(), 2U);
  EXPECT_EQ(inside.enter(second), entering::busy);
  EXPECT_EQ(inside.enter(job), entering::busy);
  EXPECT_EQ(inside.depth(), 2U);
}

TEST(Recursion, OnlyTheLastLeavesAndOnlyWhoIsInside) {
  recursion inside;
  EXPECT_EQ(inside.leave(first), leaving::absent);
  inside.enter(job);
  inside.arrived();
  inside.enter(job);
  EXPECT_EQ(inside.leave(first), leaving::absent);
  EXPECT_EQ(inside.leave(job), leaving::inner);
  EXPECT_EQ(inside.leave(job), leaving::last);
  inside.gone();
  EXPECT_EQ(inside.leave(job), leaving::absent);
  EXPECT_EQ(inside.enter(first), entering::first);
}

// An owner may have several threads: the second must wait while the first asks the server, and while it tells it.
TEST(Recursion, NobodyEntersWhileTheHoldComesOrGoes) {
  recursion inside;
  EXPECT_EQ(inside.enter(job), entering::first);
  EXPECT_FALSE(inside.open_to(job));
  EXPECT_EQ(inside.enter(job), entering::busy);
  EXPECT_EQ(inside.leave(job), leaving::absent);
  inside.arrived();
  EXPECT_TRUE(inside.open_to(job));
  EXPECT_EQ(inside.leave(job), leaving::last);
  EXPECT_FALSE(inside.open_to(job));
  EXPECT_EQ(inside.leave(job), leaving::absent) << "once is enough";
  inside.gone();
  EXPECT_TRUE(inside.open_to(second));
}

}  // namespace
}  // namespace holdfast::lock
