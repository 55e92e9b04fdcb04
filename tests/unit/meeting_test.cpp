// What a latch and a barrier decide without a server.
#include "lock/meeting.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

resp::value text(std::string what) {
  resp::value made;
  made.type = resp::kind::bulk;
  made.text = std::move(what);
  return made;
}

TEST(Meeting, AnswersAreReadAndNothingElse) {
  const auto read = read_meet(text("1794777060182298 3 4 17 1"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->made, 1794777060182298U);
  EXPECT_EQ(read->phase, 3U);
  EXPECT_EQ(read->present, 4U);
  EXPECT_EQ(read->left, 17U);
  EXPECT_TRUE(read->more);
  for (const char* odd : {"", "1 2 3 4", "1 2 3 4 2", "1 2 3 4 0 ", "1 -2 3 4 0", "x 2 3 4 0", "1 2 3 4 0 5"}) {
    EXPECT_EQ(read_meet(text(odd)).code(), errc::protocol) << odd;
  }
  resp::value number;
  number.type = resp::kind::integer;
  EXPECT_EQ(read_meet(number).code(), errc::protocol);
}

TEST(Meeting, ContradictionAndLossAreErrorsOfTheirOwn) {
  resp::value refusal;
  refusal.type = resp::kind::error;
  refusal.text = "HFCOUNT the latch was made for 3, and this call says 5";
  EXPECT_EQ(read_meet(refusal).code(), errc::bad_option);
  EXPECT_NE(read_meet(refusal).failure().detail.find("made for 3, and this call says 5"), std::string::npos);
  refusal.text = "HFGONE the latch is not there any more";
  EXPECT_EQ(read_meet(refusal).code(), errc::lost);
}

TEST(Meeting, TheTtlIsNeverShorterThanIdsAreRemembered) {
  EXPECT_EQ(meeting_ttl({.ttl = 1s}, 6s), 30s);
  EXPECT_EQ(meeting_ttl({.ttl = 60s}, 6s), 60s);
}

TEST(Meeting, ALimitThatIsNotPositiveLooksOnce) {
  EXPECT_TRUE(meeting_terms(1s, std::nullopt).forever);
  EXPECT_TRUE(meeting_terms(1s, 5s).waits);
  EXPECT_FALSE(meeting_terms(1s, 0s).waits);
}

TEST(Meeting, WhatIsMissingIsTold) {
  const auto told = meeting_failure({errc::timed_out, "the wait limit passed; held by 2 of 3"}, "step", "2 of 3");
  EXPECT_EQ(told.detail, "the wait limit passed; 2 of 3 are missing at step");
  EXPECT_EQ(meeting_failure({errc::held, ""}, "step", "2 of 3").code, errc::timed_out);
  EXPECT_EQ(meeting_failure({errc::unreachable, "silent"}, "step", "2 of 3").detail, "silent");
}

}  // namespace
}  // namespace holdfast::lock
