// What the words of the Sentinels amount to: their answers read, and the primary chosen; no clock, no server.
#include "topology/sentinel_choice.hpp"

#include <gtest/gtest.h>

namespace holdfast::topology {
namespace {

using resp::kind;
using runtime::time_point;
using std::chrono::milliseconds;

constexpr time_point t0{std::chrono::seconds{1000}};
const endpoint a{"10.0.0.1", 6379};
const endpoint b{"10.0.0.2", 6379};
const std::vector<endpoint> three{{"s1", 26379}, {"s2", 26379}, {"s3", 26379}};

resp::value text(std::string word, kind type = kind::bulk) {
  resp::value made;
  made.type = type;
  made.text = std::move(word);
  return made;
}
resp::value list(std::vector<resp::value> items) {
  resp::value made;
  made.type = kind::array;
  made.items = std::move(items);
  return made;
}

sentinel_choice asked(const std::vector<endpoint>& sentinels = three) {
  sentinel_choice made{sentinels, "locks"};
  made.ask(t0);
  return made;
}
endpoint chosen(sentinel_choice& from, time_point now = t0) {
  const auto got = from.choose(now);
  return got && *got ? **got : endpoint{};
}

TEST(SentinelChoice, AnAddressIsRead) {
  const auto good = read_primary(list({text("10.0.0.1"), text("6379")}));
  ASSERT_TRUE(good);
  EXPECT_EQ(**good, a);
  const auto named = read_primary(list({text("cache-1.example"), text("1")}));
  ASSERT_TRUE(named);
  EXPECT_EQ((*named)->host, "cache-1.example");
}

TEST(SentinelChoice, NilMeansThatTheNameIsNotKnown) {
  const auto got = read_primary(resp::value{});
  ASSERT_TRUE(got);
  EXPECT_FALSE(*got);
}

TEST(SentinelChoice, WhatIsNoAddressIsRefused) {
  for (const auto& reply : {list({}), list({text("h")}), list({text("h"), text("0")}), list({text("h"), text("65536")}),
                            list({text("h"), text("x")}), list({text(""), text("1")}),
                            list({text("h"), text("1"), text("2")}), text("OK")}) {
    const auto got = read_primary(reply);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.code(), errc::protocol);
  }
  for (const char* const word : {"NOAUTH Authentication required.", "NOPERM no", "WRONGPASS invalid"}) {
    const auto got = read_primary(text(word, kind::error));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.code(), errc::refused) << word;
    EXPECT_NE(got.failure().detail.find("sentinel_password"), std::string::npos);
  }
  EXPECT_EQ(read_primary(text("ERR unknown command 'SENTINEL'", kind::error)).code(), errc::protocol);
}

TEST(SentinelChoice, ASwitchIsReadForItsNameOnly) {
  const auto got = read_switch("locks 10.0.0.1 6379 10.0.0.2 6379", "locks");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->from, a);
  EXPECT_EQ(got->to, b);
  EXPECT_TRUE(read_switch("two words 10.0.0.1 6379 10.0.0.2 6379", "two words"));
  for (const char* const other : {"locks2 10.0.0.1 6379 10.0.0.2 6379", "lock 10.0.0.1 6379 10.0.0.2 6379", "locks", "",
                                  "locks 10.0.0.1 6379 10.0.0.2", "locks 10.0.0.1 6379 10.0.0.2 0",
                                  "locks 10.0.0.1 6379 10.0.0.2 6379 more", "locks  6379 10.0.0.2 6379"}) {
    EXPECT_FALSE(read_switch(other, "locks")) << other;
  }
}

TEST(SentinelChoice, AMajorityDecidesWithoutTheRest) {
  auto choice = asked();
  choice.named(0, a);
  EXPECT_FALSE(choice.choose(t0)) << "one of three is not enough while others may speak";
  choice.named(2, a);
  EXPECT_EQ(chosen(choice), a);
  EXPECT_FALSE(choice.choose(t0)) << "once";
}

TEST(SentinelChoice, WhenTheLimitHasPassedWhatIsThereMustDo) {
  auto choice = asked();
  choice.named(1, b);
  EXPECT_FALSE(choice.choose(choice.limit() - milliseconds{1}));
  EXPECT_EQ(chosen(choice, choice.limit()), b);
  EXPECT_EQ(choice.limit(), t0 + sentinel_limit);
}

TEST(SentinelChoice, DeadOnesAreNotWaitedForOnceTheyAreKnownToBe) {
  auto choice = asked();
  choice.failed(0, {errc::unreachable, "refused"});
  choice.failed(1, {errc::unreachable, "refused"});
  EXPECT_FALSE(choice.choose(t0));
  choice.named(2, a);
  EXPECT_EQ(chosen(choice), a);
}

// Cut off together with an old primary, it goes on naming it. Not even if the other cannot be reached may it win.
TEST(SentinelChoice, AMinorityNeverWins) {
  auto choice = asked();
  for (int round = 0; round < 3; ++round) {
    choice.named(0, b);
    choice.named(1, a);
    choice.named(2, a);
    EXPECT_EQ(chosen(choice), a) << round;
    choice.ask(t0);  // it could not be reached
  }
}

TEST(SentinelChoice, AmongEqualsTheOneThatWasNotTriedYet) {
  auto choice = asked({{"s1", 1}, {"s2", 1}});
  std::vector<endpoint> order;
  for (int round = 0; round < 4; ++round) {
    choice.named(0, a);
    choice.named(1, b);
    order.push_back(chosen(choice));
    choice.ask(t0);
  }
  EXPECT_EQ(order, (std::vector<endpoint>{a, b, a, b}));
}

TEST(SentinelChoice, ASwitchOutdatesTheChoiceAndWinsAgainstThoseWhoDoNotKnowYet) {
  auto choice = asked();
  for (std::size_t i = 0; i < 3; ++i) choice.named(i, a);
  ASSERT_EQ(chosen(choice), a);
  EXPECT_FALSE(choice.outdated());
  choice.switched(1, {a, b});
  EXPECT_TRUE(choice.outdated());
  choice.ask(t0);
  EXPECT_FALSE(choice.outdated());
  choice.named(0, a);
  choice.named(2, a);
  EXPECT_FALSE(choice.choose(t0)) << "a majority for what was left decides nothing";
  choice.named(1, b);
  EXPECT_EQ(chosen(choice), b);
  choice.named(0, a);
  EXPECT_FALSE(choice.outdated()) << "a Sentinel that lags behind does not call back";
}

TEST(SentinelChoice, AfterASwitchThatMostHaveFollowedTheOldPlaceMayComeBack) {
  auto choice = asked();
  choice.switched(0, {a, b});
  choice.switched(1, {a, b});
  EXPECT_EQ(chosen(choice), b);
  choice.named(0, a);
  EXPECT_FALSE(choice.outdated());
  choice.named(1, a);
  EXPECT_TRUE(choice.outdated()) << "most name the other one now, though no switch was heard of";
}

TEST(SentinelChoice, WhatNobodyKnowsIsSaidAsItIs) {
  auto unknown = asked();
  unknown.knows_nothing(0);
  unknown.failed(1, {errc::unreachable, "down"});
  unknown.knows_nothing(2);
  auto got = unknown.choose(t0);
  ASSERT_TRUE(got && !*got);
  EXPECT_EQ(got->code(), errc::refused);
  EXPECT_NE(got->failure().detail.find("'locks'"), std::string::npos);
  EXPECT_NE(got->failure().detail.find("s1:26379, s3:26379"), std::string::npos) << got->failure().detail;

  auto refused = asked();
  for (std::size_t i = 0; i < 3; ++i) refused.failed(i, {errc::refused, "it refused us"});
  got = refused.choose(t0);
  ASSERT_TRUE(got && !*got);
  EXPECT_EQ(got->code(), errc::refused);

  auto away = asked();
  away.failed(0, {errc::unreachable, "down"});
  got = away.choose(away.limit());
  ASSERT_TRUE(got && !*got);
  EXPECT_EQ(got->code(), errc::unreachable);
  EXPECT_NE(got->failure().detail.find("s2:26379: no answer in time"), std::string::npos) << got->failure().detail;
}

}  // namespace
}  // namespace holdfast::topology
