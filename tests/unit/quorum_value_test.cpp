// The rounds of a value on a quorum, and of those who wait at a meeting there: when they are decided, and how.
#include "lock/quorum_value.hpp"

#include "lock/quorum_majority.hpp"
#include "lock/quorum_meet_wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using reading = quorum_reading;
using writing = quorum_writing;
using step = meet_step;
using told = meet_look::kind;

TEST(QuorumValue, AMajorityOfOneVersionIsBelievedAtOnce) {
  quorum_read what{5};
  EXPECT_EQ(what.answered(0, 7), reading::wait);
  EXPECT_EQ(what.answered(1, 9), reading::wait) << "newer, and perhaps nobody's";
  EXPECT_EQ(what.answered(2, 7), reading::wait);
  EXPECT_EQ(what.answered(4, 7), reading::agreed);
  EXPECT_EQ(what.version(), 7U);
  EXPECT_EQ(what.node(), 0U);
  EXPECT_FALSE(what.lags());
  EXPECT_EQ(what.answered(3, 5), reading::wait) << "once";
  EXPECT_TRUE(what.lags());
}

TEST(QuorumValue, WhereTheyDifferEverybodyIsWaitedForAndTheNewestIsTaken) {
  quorum_read what{5};
  EXPECT_EQ(what.answered(0, 7), reading::wait);
  EXPECT_EQ(what.answered(1, 0), reading::wait);
  EXPECT_EQ(what.answered(2, 9), reading::wait);
  EXPECT_EQ(what.failed(3), reading::wait);
  EXPECT_EQ(what.answered(4, 0), reading::mixed);
  EXPECT_EQ(what.version(), 9U);
  EXPECT_EQ(what.node(), 2U);
}

TEST(QuorumValue, NothingIsBelievedOfAMajorityOnly) {
  quorum_read none{5};
  EXPECT_EQ(none.answered(0, 9), reading::wait);
  EXPECT_EQ(none.answered(1, 0), reading::wait);
  EXPECT_EQ(none.answered(2, 0), reading::wait);
  EXPECT_EQ(none.answered(3, 0), reading::agreed);
  EXPECT_EQ(none.version(), 0U) << "what was left of an older one is outvoted";
  quorum_read few{5};
  EXPECT_EQ(few.answered(0, 9), reading::wait);
  EXPECT_EQ(few.answered(1, 0), reading::wait);
  EXPECT_EQ(few.answered(2, 0), reading::wait);
  EXPECT_EQ(few.timer(), reading::mixed);
  EXPECT_EQ(few.version(), 9U);
}

TEST(QuorumValue, WithoutAMajorityNothingIsRead) {
  quorum_read what{4};
  EXPECT_EQ(what.answered(0, 7), reading::wait);
  EXPECT_EQ(what.failed(1), reading::wait);
  EXPECT_EQ(what.failed(2), reading::failed) << "one is due, and would be two of four";
  quorum_read late{3};
  EXPECT_EQ(late.answered(0, 7), reading::wait);
  EXPECT_EQ(late.timer(), reading::failed);
  EXPECT_EQ(late.answers(), 1U);
}

TEST(QuorumValue, AWritingCountsWithAMajority) {
  quorum_write what{5};
  EXPECT_EQ(what.answered(0, true), writing::wait);
  EXPECT_EQ(what.answered(1, false), writing::wait);
  EXPECT_EQ(what.answered(1, true), writing::wait) << "it has spoken";
  EXPECT_EQ(what.answered(2, true), writing::wait);
  EXPECT_EQ(what.answered(3, true), writing::written);
  EXPECT_EQ(what.answered(4, true), writing::wait);
  quorum_write in_vain{5};
  EXPECT_EQ(in_vain.answered(0, true), writing::wait);
  EXPECT_EQ(in_vain.failed(1), writing::wait);
  EXPECT_EQ(in_vain.failed(2), writing::wait);
  EXPECT_EQ(in_vain.failed(3), writing::failed);
  quorum_write late{3};
  EXPECT_EQ(late.answered(0, true), writing::wait);
  EXPECT_EQ(late.timer(), writing::failed);
}

TEST(QuorumValue, TheClockInTheMiddle) {
  EXPECT_EQ(middle_of({5}), 5U);
  EXPECT_EQ(middle_of({1'000'000, 5, 6}), 6U);
  EXPECT_EQ(middle_of({0, 5, 6}), 5U);
}

// Writers that come after one another, each to a majority of its own; some die half way. Whoever reads by the rules has what was
// acknowledged last, or something that was made from it.
TEST(QuorumValue, WhatWasAcknowledgedIsRead) {
  std::mt19937 random{20'240'517};
  for (const std::size_t nodes : {3U, 4U, 5U}) {
    std::map<std::uint64_t, std::uint64_t> made_from;  // version -> the one that its writer read
    std::vector<std::uint64_t> stored(nodes);
    std::uint64_t acknowledged = 0;
    std::uint64_t version = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::vector<std::size_t> order(nodes);
      for (std::size_t n = 0; n < nodes; ++n) order[n] = n;
      std::ranges::shuffle(order, random);
      const std::size_t reached = majority_of(nodes) + random() % (nodes - majority_of(nodes) + 1);
      quorum_read reader{nodes};
      auto how = reading::wait;
      for (std::size_t n = 0; n < nodes && how == reading::wait; ++n) {
        how = n < reached ? reader.answered(order[n], stored[order[n]]) : reader.failed(order[n]);
      }
      ASSERT_TRUE(how == reading::agreed || how == reading::mixed);
      std::uint64_t ancestor = reader.version();
      while (ancestor > acknowledged) ancestor = made_from.at(ancestor);
      ASSERT_EQ(ancestor, acknowledged) << "a writing was lost";
      made_from[++version] = reader.version();
      std::ranges::shuffle(order, random);
      const std::size_t written = random() % (nodes + 1);
      for (std::size_t n = 0; n < written; ++n) stored[order[n]] = version;
      if (written >= majority_of(nodes)) acknowledged = version;
    }
  }
}

meet_look waiting(std::uint64_t version, std::string missing = "1 of 3") {
  return {.what = told::waiting, .version = version, .missing = std::move(missing)};
}
meet_look passed(std::uint64_t version) { return {.what = told::passed, .version = version}; }
meet_look absent() { return {.what = told::absent}; }

TEST(QuorumMeetWait, AMajorityDecides) {
  quorum_meet_wait over{5};
  EXPECT_EQ(over.answered(0, passed(8)), step::wait);
  EXPECT_EQ(over.answered(1, waiting(7)), step::wait);
  EXPECT_EQ(over.answered(2, passed(8)), step::wait);
  EXPECT_EQ(over.answered(3, passed(9)), step::passed);
  EXPECT_TRUE(over.lags());
  quorum_meet_wait not_yet{5};
  EXPECT_EQ(not_yet.answered(0, passed(8)), step::wait);
  EXPECT_EQ(not_yet.answered(1, waiting(6, "2 of 3")), step::wait);
  EXPECT_EQ(not_yet.answered(2, waiting(7)), step::wait);
  EXPECT_EQ(not_yet.answered(3, waiting(7)), step::waiting) << "a minority that says otherwise was not acknowledged";
  EXPECT_EQ(not_yet.missing(), "1 of 3");
}

TEST(QuorumMeetWait, OfWhatAMajorityKnowsNothingIsGone) {
  quorum_meet_wait gone{3};
  EXPECT_EQ(gone.answered(0, waiting(7)), step::wait);
  EXPECT_EQ(gone.answered(1, absent()), step::wait);
  EXPECT_EQ(gone.answered(2, absent()), step::gone);
  EXPECT_FALSE(gone.replaced());
  quorum_meet_wait replaced{3};
  EXPECT_EQ(replaced.answered(0, {.what = told::other}), step::wait);
  EXPECT_EQ(replaced.answered(1, {.what = told::other}), step::gone);
  EXPECT_TRUE(replaced.replaced());
}

TEST(QuorumMeetWait, WhatNoMajoritySaysIsUnsettled) {
  quorum_meet_wait what{5};
  EXPECT_EQ(what.answered(0, passed(8)), step::wait);
  EXPECT_EQ(what.answered(1, passed(8)), step::wait);
  EXPECT_EQ(what.answered(2, waiting(7)), step::wait);
  EXPECT_EQ(what.answered(3, waiting(7)), step::wait);
  EXPECT_EQ(what.failed(4), step::unsettled);
  EXPECT_TRUE(what.lags());
  EXPECT_EQ(what.version(), 8U);
}

TEST(QuorumMeetWait, TooFewThatKnow) {
  quorum_meet_wait silent{5};
  EXPECT_EQ(silent.answered(0, waiting(7)), step::wait);
  EXPECT_EQ(silent.answered(1, waiting(7)), step::wait);
  EXPECT_EQ(silent.timer(), step::unreachable);
  EXPECT_EQ(silent.answers(), 2U);
  quorum_meet_wait early{5};
  EXPECT_EQ(early.failed(0), step::wait);
  EXPECT_EQ(early.failed(1), step::wait);
  EXPECT_EQ(early.failed(2), step::unreachable) << "at once";
  quorum_meet_wait young{3};
  EXPECT_EQ(young.answered(0, {.what = told::young, .number = 900ms}), step::wait);
  EXPECT_EQ(young.answered(1, waiting(7)), step::wait);
  EXPECT_EQ(young.failed(2), step::young);
  EXPECT_EQ(young.number(), 900ms);
  quorum_meet_wait other{3};
  EXPECT_EQ(other.answered(0, {.what = told::other_max_ttl, .number = 5s}), step::wait);
  EXPECT_EQ(other.answered(1, {.what = told::other_max_ttl, .number = 5s}), step::other_max_ttl);
}

TEST(QuorumMeetWait, AnswersAreReadAndNothingElse) {
  const auto read = [](std::string text) {
    resp::value reply;
    reply.type = resp::kind::bulk;
    reply.text = std::move(text);
    return read_look(reply);
  };
  EXPECT_EQ(read("passed 17")->version, 17U);
  EXPECT_EQ(read("waiting 17 2 of 3")->missing, "2 of 3");
  EXPECT_EQ(read("absent")->what, told::absent);
  EXPECT_EQ(read("other")->what, told::other);
  EXPECT_EQ(read("young 250 abc 1 2 run")->number, 250ms);
  EXPECT_EQ(read("refused max_ttl 3000")->number, 3s);
  for (const char* odd : {"", "passed", "passed x", "passed 17 ", "waiting 17", "granted 5", "held 5 x", "absent "}) {
    EXPECT_EQ(read(odd).code(), errc::protocol) << odd;
  }
}

}  // namespace
}  // namespace holdfast::lock
