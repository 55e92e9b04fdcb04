// lock::quorum_round: when the nodes of a quorum have said the same, and when they cannot any more; and what a cache makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lock/quorum_cache.hpp"
#include "lock/quorum_round.hpp"
#include "support/seed.hpp"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

constexpr runtime::time_point start{};

quorum_round of(std::size_t nodes) {
  quorum_round made{nodes, 50ms};
  made.start(start);
  return made;
}

TEST(QuorumRound, IsAgreedAtTheMajority) {
  quorum_round round = of(5);
  EXPECT_EQ(round.says(0, "a"), round_end::open);
  EXPECT_EQ(round.says(4, "a"), round_end::open);
  EXPECT_EQ(round.says(2, "b"), round_end::open);
  EXPECT_EQ(round.says(3, "a"), round_end::agreed);
  EXPECT_EQ(round.word(), "a");
  EXPECT_EQ(round.saying("a"), (std::vector<std::size_t>{0, 3, 4}));
  EXPECT_EQ(round.unheard(), std::vector<std::size_t>{1});
  EXPECT_EQ(round.says(1, "b"), round_end::agreed) << "later answers change nothing";
  EXPECT_EQ(round.unheard(), std::vector<std::size_t>{1});
  EXPECT_EQ(round.wake_at(), runtime::never);
}

TEST(QuorumRound, OfAnEvenNumberTakesMoreThanHalf) {
  quorum_round round = of(4);
  EXPECT_EQ(round.says(0, "a"), round_end::open);
  EXPECT_EQ(round.says(1, "a"), round_end::open);
  EXPECT_EQ(round.says(2, "b"), round_end::open);
  EXPECT_EQ(round.says(3, "b"), round_end::split);
}

TEST(QuorumRound, IsSplitAsSoonAsNothingCanGetAMajority) {
  quorum_round round = of(5);
  EXPECT_EQ(round.says(0, "a"), round_end::open);
  EXPECT_EQ(round.says(1, "b"), round_end::open);
  EXPECT_EQ(round.says(2, "c"), round_end::open) << "two more could join one of them";
  EXPECT_EQ(round.says(3, "d"), round_end::split);
}

TEST(QuorumRound, NeedsAMajorityOfAnswersForASplit) {
  quorum_round round = of(5);
  EXPECT_EQ(round.failed(0), round_end::open);
  EXPECT_EQ(round.failed(1), round_end::open);
  EXPECT_EQ(round.says(2, "a"), round_end::open);
  EXPECT_EQ(round.says(3, "b"), round_end::open) << "no majority for either, but the last one may still not answer";
  EXPECT_EQ(round.failed(4), round_end::unreachable);
  EXPECT_EQ(round.answers(), 2u);
}

TEST(QuorumRound, EndsAtItsLimit) {
  quorum_round round = of(3);
  EXPECT_EQ(round.wake_at(), start + 50ms);
  EXPECT_EQ(round.says(0, "a"), round_end::open);
  EXPECT_EQ(round.timer(start + 49ms), round_end::open);
  EXPECT_EQ(round.timer(start + 50ms), round_end::unreachable);
}

TEST(QuorumRound, WhatComesTwiceCountsOnce) {
  quorum_round round = of(3);
  EXPECT_EQ(round.says(0, "a"), round_end::open);
  EXPECT_EQ(round.says(0, "a"), round_end::open);
  EXPECT_EQ(round.failed(0), round_end::open);
  EXPECT_EQ(round.says(1, "a"), round_end::agreed);
}

// Against the plain definition, in all orders that chance brings.
TEST(QuorumRound, DecidesNeitherTooEarlyNorTooLate) {
  std::mt19937 random{test::make_seed()};
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
  };
  for (int run = 0; run < 20'000; ++run) {
    const std::size_t nodes = 3 + below(3);
    std::vector<std::string> words;  // "-": it fails
    for (std::size_t i = 0; i < nodes; ++i) words.push_back(std::string{"-ab"}.substr(below(3), 1));
    quorum_round round = of(nodes);
    auto end = round_end::open;
    for (std::size_t i = 0; i < nodes; ++i) {
      ASSERT_EQ(end, round.end());
      end = words[i] == "-" ? round.failed(i) : round.says(i, words[i]);
    }
    const auto count = [&](const std::string& what) {
      return static_cast<std::size_t>(std::ranges::count(words, what));
    };
    const std::size_t needed = majority_of(nodes);
    if (count("a") >= needed || count("b") >= needed) {
      ASSERT_EQ(end, round_end::agreed);
      ASSERT_EQ(round.word(), count("a") >= needed ? "a" : "b");
    } else {
      ASSERT_EQ(end, nodes - count("-") >= needed ? round_end::split : round_end::unreachable);
    }
  }
}

// ---- a cache's answers

resp::value text(std::string what) {
  resp::value made;
  made.type = resp::kind::bulk;
  made.text = std::move(what);
  return made;
}

resp::value entry(std::string what, std::int64_t left) {
  resp::value made;
  made.type = resp::kind::array;
  made.items = {text(std::move(what)), {}};
  made.items[1].type = resp::kind::integer;
  made.items[1].integer = left;
  return made;
}

TEST(QuorumCacheReplies, TheLeastTimeLeftIsTold) {
  const auto one = entry("7 100 5 v x", 900);
  const auto two = entry("7 100 5 v x", 700);
  EXPECT_EQ(*read_kept_word(one), "7 100 5 v x");
  EXPECT_EQ(*read_kept_word(one), *read_kept_word(two));
  const auto read = read_entries({&one, &two});
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->fresh, 600ms);
  EXPECT_EQ((*read)->number, 7u);
  EXPECT_EQ(*read_kept_word(resp::value{}), "");
  const resp::value none;
  EXPECT_FALSE(*read_entries({&none, &none}));
}

TEST(QuorumCacheReplies, WhatIsOfNoKnownFormIsAFailure) {
  EXPECT_EQ(read_kept_word(entry("hello", 5)).code(), errc::wrong_type);
  EXPECT_EQ(read_kept_word(entry("7 0 5 v x", -1)).code(), errc::wrong_type) << "ours always expire";
  EXPECT_EQ(read_kept_word(text("x")).code(), errc::protocol);
  EXPECT_EQ(read_cache_word(text("hello")).code(), errc::protocol);
  EXPECT_EQ(read_cache_word(entry("stored", 1)).code(), errc::protocol);
  EXPECT_EQ(*read_cache_word(text("newer 12")), "newer");
  EXPECT_EQ(*read_cache_word(text("stored")), "stored");
}

TEST(QuorumCacheReplies, TheGreatestNumberIsTaken) {
  const auto one = text("drawn 1794777060182298");
  const auto two = text("newer 1794777060182299");
  const auto three = text("stored");
  EXPECT_EQ(greatest_number({&one, nullptr, &two, &three}), 1794777060182299u);
  EXPECT_EQ(greatest_number({&three, nullptr}), 0u);
}

TEST(QuorumCacheReplies, TellWhyTooFewTookPart) {
  const auto young = text("young 2500 abc 1 3000 run");
  const auto younger = text("young 2800 abc 1 3000 none");
  const auto drawn = text("drawn 5");
  const auto other = text("refused max_ttl 9000");
  const auto busy = not_seated({&young, &younger, &drawn}, 3000ms);
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->code, errc::server_busy);
  EXPECT_NE(busy->detail.find("2.5 s more"), std::string::npos) << busy->detail;
  const auto differs = not_seated({&drawn, nullptr, &other}, 3000ms);
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->code, errc::bad_option);
  EXPECT_FALSE(not_seated({&drawn, nullptr, &drawn}, 3000ms));
}

TEST(QuorumCacheReplies, AnAgeIsNeverTooShort) {
  EXPECT_GE(longest_age(1ns), 1);
  EXPECT_GE(longest_age(100s), 101'000'000);
}

}  // namespace
}  // namespace holdfast::lock
