// How many replicas are enough, and what WAIT and ROLE answer.
#include "lock/replicas.hpp"
#include "lock/checked_options.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

resp::value number(std::int64_t n) {
  resp::value made;
  made.type = resp::kind::integer;
  made.integer = n;
  return made;
}
resp::value text(std::string word, resp::kind type = resp::kind::bulk) {
  resp::value made;
  made.type = type;
  made.text = std::move(word);
  return made;
}
resp::value list(std::vector<resp::value> items) {
  resp::value made;
  made.type = resp::kind::array;
  made.items = std::move(items);
  return made;
}

TEST(Replicas, AMajorityIsOfThoseThatHaveBeenSeenAndNeverNone) {
  const int needed[] = {1, 1, 1, 2, 2, 3, 3};
  for (int seen = 0; seen < 7; ++seen) {
    EXPECT_EQ(replicas_needed(majority, seen), needed[seen]) << seen;
    // With the primary more than half of all have it.
    if (seen > 0) {
      EXPECT_GT(2 * (replicas_needed(majority, seen) + 1), seen + 1);
    }
  }
  EXPECT_EQ(replicas_needed(3, 1), 3) << "a number is a number";
  EXPECT_EQ(replicas_needed(0, 5), 0);
}

TEST(Replicas, WaitAnswersACount) {
  EXPECT_EQ(read_wait(number(2)).value(), 2);
  EXPECT_EQ(read_wait(number(-1)).code(), errc::protocol);
  EXPECT_EQ(read_wait(text("2")).code(), errc::protocol);
  EXPECT_EQ(read_wait(text("NOPERM this user has no permissions to run the 'wait' command", resp::kind::error)).code(),
            errc::refused);
}

TEST(Replicas, RoleListsThem) {
  const auto one = list({text("10.0.0.2"), text("6379"), text("14")});
  EXPECT_EQ(read_replicas(list({text("master"), number(14), list({one, one})})).value(), 2);
  EXPECT_EQ(read_replicas(list({text("master"), number(14), list({})})).value(), 0);
  EXPECT_EQ(read_replicas(list({text("slave"), text("h"), number(1), text("connected"), number(1)})).code(),
            errc::read_only);
}

TEST(Replicas, AShortfallSaysHowManyThereWere) {
  const failure told = not_replicated(2, 1, std::chrono::milliseconds{500});
  EXPECT_EQ(told.code, errc::not_replicated);
  EXPECT_TRUE(told.detail.starts_with("1 of 2 replicas had the lock within 500 ms")) << told.detail;
}

TEST(Replicas, OtherNumbersThanCountsAreRefused) {
  EXPECT_TRUE(check({.replicas = 1000}));
  EXPECT_TRUE(check({.replicas = majority}));
  EXPECT_EQ(check({.replicas = 1001}).code(), errc::bad_option);
  EXPECT_EQ(check({.replicas = -2}).code(), errc::bad_option);
}

}  // namespace
}  // namespace holdfast::lock
