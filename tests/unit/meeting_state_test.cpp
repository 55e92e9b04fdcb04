// A latch or a barrier as a value: its text, and every rule of meet_count.lua.
#include "lock/meeting_state.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t second = 1'000'000;

resp::value text(std::string what) {
  resp::value made;
  made.type = resp::kind::bulk;
  made.text = std::move(what);
  return made;
}

std::string join(const std::vector<std::string>& all) {
  std::string out;
  for (const auto& each : all) out += (out.empty() ? "" : " ") + each;
  return out;
}

// A meeting that everybody speaks of; versions go up by ten.
struct table {
  meeting_kind kind;
  std::uint64_t expected;
  std::optional<meeting_state> state{};
  std::uint64_t version = 0;
  std::uint64_t now = 100 * second;
  std::uint64_t made = 0;
  std::uint64_t seen = 0;
  std::uint64_t numbers = 0;

  result<counted> arrive(std::uint64_t n, bool drops = false, std::uint64_t object = 7,
                         std::optional<std::uint64_t> number = {}) {
    arrival_terms what{.kind = kind, .expected = expected, .made = made, .seen = seen};
    what.id = arrival_id{object, number ? *number : ++numbers};
    what.count = n;
    what.drops = drops;
    what.remembered = 30s;
    return apply(what);
  }
  result<counted> look() {
    return apply({.kind = kind, .expected = expected, .made = made, .seen = seen, .remembered = 30s});
  }
  result<counted> apply(const arrival_terms& what) {
    const auto got = count(state, version, what, version + 10, now);
    if (got && got->changed) version += 10;
    return got;
  }
};

TEST(MeetingState, IsReadAsItWasWritten) {
  meeting_state what{.kind = meeting_kind::barrier, .made = 17, .expected = 4, .members = 3, .left = 2, .drops = 1};
  what.phase = 9;
  for (int i = 0; i < 3; ++i) {
    const auto read = read_copy(text("1794777060182298 33 1 " + join(write_fields(what))));
    ASSERT_TRUE(read) << read.failure().detail;
    EXPECT_EQ(read->clock, 1794777060182298U);
    EXPECT_EQ(read->version, 33U);
    EXPECT_TRUE(read->more);
    EXPECT_EQ(read->what, what);
    what.ids.push_back({{18446744073709551615U, static_cast<std::uint64_t>(i)}, 8, 5 * second});
  }
  EXPECT_EQ(read_copy(text("17 0"))->version, 0U);
}

TEST(MeetingState, NothingElseIsRead) {
  for (const char* odd : {"",
                          "x",
                          "17",
                          "17 ",
                          "17 0 ",
                          "17 1",
                          "17 1 0",
                          "17 5 0 latch 1 2 3 4 5",
                          "17 5 0 latch 1 2 3 4 5 6",
                          "17 5 2 latch 1 2 3 4 5 6 -",
                          "17 0 0 latch 1 2 3 4 5 6 -",
                          "17 5 0 door 1 2 3 4 5 6 -",
                          "17 5 0 latch 1 2 3 4 -5 6 -",
                          "17 5 0 latch 1 2 3 4 5 6 1:2:3",
                          "17 5 0 latch 1 2 3 4 5 6 1:2:3:4,",
                          "17 5 0 latch 1 2 3 4 5 6 1:2:3:4 ",
                          "17 5 0 latch 1 2 3 4 5 6 ",
                          "17 5 0 latch 1 false 3 4 5 6 -",
                          "taken",
                          "young 5 abc 1 2 run"}) {
    EXPECT_EQ(read_copy(text(odd)).code(), errc::protocol) << odd;
  }
  resp::value refusal;
  refusal.type = resp::kind::error;
  refusal.text = "WRONGTYPE not a latch";
  EXPECT_EQ(read_copy(refusal).code(), errc::wrong_type);
}

TEST(MeetingState, TheFirstMakesIt) {
  table at{meeting_kind::latch, 3};
  auto made = at.look();
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->changed);
  EXPECT_EQ(made->told.made, 10U) << "the version of its first writing";
  EXPECT_EQ(made->told.left, 3U);
  EXPECT_FALSE(at.look()->changed);
  table open{meeting_kind::latch, 0};
  EXPECT_EQ(open.look()->told.present, 1U) << "nobody is missing";
}

TEST(MeetingState, ALatchOpensOnce) {
  table at{meeting_kind::latch, 3};
  EXPECT_EQ(at.arrive(2)->told.left, 1U);
  const auto last = at.arrive(1);
  EXPECT_EQ(last->told.phase, 0U);
  EXPECT_EQ(last->told.present, 1U);
  EXPECT_EQ(last->told.left, 0U);
  const auto late = at.arrive(1);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.code(), errc::bad_option);
  EXPECT_NE(late.failure().detail.find("1 arrive at the latch, which waits for 0"), std::string::npos);
  EXPECT_FALSE(at.state->is_over());
}

TEST(MeetingState, ABarrierGoesFromPhaseToPhaseAndMembersDrop) {
  table at{meeting_kind::barrier, 3};
  EXPECT_EQ(at.arrive(1)->told.present, 0U);
  EXPECT_EQ(at.arrive(1, true)->told.present, 0U);
  const auto last = at.arrive(1);
  EXPECT_EQ(last->told.phase, 0U);
  EXPECT_EQ(last->told.present, 1U);
  EXPECT_EQ(at.state->members, 2U);
  EXPECT_EQ(at.state->left, 2U);
  EXPECT_EQ(at.state->drops, 0U);
  EXPECT_EQ(at.arrive(3).code(), errc::bad_option);
  ASSERT_TRUE(at.arrive(2, true));
  EXPECT_TRUE(at.state->is_over());
  // Somebody begins anew, in the next phase of the same barrier.
  EXPECT_EQ(at.arrive(4).code(), errc::bad_option);
  EXPECT_TRUE(at.state->is_over()) << "who is refused changes nothing";
  const auto anew = at.arrive(1);
  EXPECT_EQ(anew->told.phase, 2U);
  EXPECT_EQ(anew->told.left, 2U);
  EXPECT_EQ(anew->told.made, 10U);
}

TEST(MeetingState, ARepeatedArrivalCountsOnceAndIsToldItsPhase) {
  table at{meeting_kind::barrier, 1};
  ASSERT_TRUE(at.arrive(1, false, 7, 1));
  const auto before = *at.state;
  const auto again = at.arrive(1, false, 7, 1);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->changed);
  EXPECT_EQ(again->told.phase, 0U);
  EXPECT_EQ(again->told.present, 1U);
  EXPECT_EQ(*at.state, before);
  EXPECT_EQ(at.arrive(1, false, 8, 1)->told.phase, 1U) << "another object's number 1";
}

TEST(MeetingState, IdsAreForgottenWhenTheyAreOverOrOld) {
  table at{meeting_kind::latch, 100};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(at.arrive(1));
  ASSERT_TRUE(at.arrive(1, false, 9, 1));
  EXPECT_EQ(at.state->ids.size(), 6U);
  arrival_terms next{.kind = meeting_kind::latch, .expected = 100, .id = arrival_id{7, 6}, .oldest = 5};
  next.count = 1;
  next.remembered = 30s;
  ASSERT_TRUE(at.apply(next));
  EXPECT_EQ(at.state->ids.size(), 3U) << "5 and 6 of the object, and the other's";
  at.now += 29 * second;
  ASSERT_TRUE(at.arrive(1, false, 10, 1));
  EXPECT_EQ(at.state->ids.size(), 4U);
  at.now += 2 * second;
  ASSERT_TRUE(at.arrive(1, false, 10, 2));
  EXPECT_EQ(at.state->ids.size(), 2U) << "only those of the last 30 s";
}

TEST(MeetingState, WhatDoesNotFitIsRefusedInTheWordsOfTheScripts) {
  table at{meeting_kind::latch, 3};
  ASSERT_TRUE(at.arrive(1));
  const auto before = *at.state;
  table other = at;
  other.expected = 5;
  EXPECT_EQ(other.look().code(), errc::bad_option);
  EXPECT_NE(other.look().failure().detail.find("was made for 3, and this call says 5"), std::string::npos);
  other = at;
  other.kind = meeting_kind::barrier;
  EXPECT_EQ(other.look().code(), errc::wrong_type);
  other = at;
  other.made = 11;
  EXPECT_EQ(other.look().code(), errc::lost) << "another one";
  other = at;
  other.made = 10;
  EXPECT_TRUE(other.look());
  other.seen = at.version;
  EXPECT_TRUE(other.look());
  other.seen = at.version + 1;
  EXPECT_EQ(other.look().code(), errc::lost) << "it has seen more";
  other.state.reset();
  EXPECT_EQ(other.look().code(), errc::lost) << "nothing is there";
  EXPECT_FALSE(other.state) << "nor made";
  EXPECT_EQ(*at.state, before);
}

}  // namespace
}  // namespace holdfast::lock
