// One try on a quorum, answer by answer.
#include "lock/quorum_acquire.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;
using kind = vote_reply::kind;
using step = quorum_step;
using refusal = quorum_refusal;

constexpr time_point start{seconds{1000}};
constexpr milliseconds limit{50};

time_point after(int ms) { return start + milliseconds{ms}; }

quorum_acquire ask(std::size_t nodes, bool fence = true) {
  quorum_acquire made{
      {.nodes = nodes, .ttl = seconds{10}, .stop_margin = seconds{1}, .node_limit = limit, .fence = fence}};
  EXPECT_EQ(made.start(start), step::ask);
  return made;
}
vote_reply granted(std::uint64_t number) { return {.what = kind::granted, .number = number}; }
vote_reply held(std::string by, int left = 100) {
  return {.what = kind::held, .left = milliseconds{left}, .holder = std::move(by)};
}
vote_reply young(bool fresh, int left = 100) {
  return {.what = kind::young, .left = milliseconds{left}, .seat = fresh ? "a 1 2 none" : "a 1 2 run", .fresh = fresh};
}

TEST(QuorumMajority, IsMoreThanHalf) {
  EXPECT_EQ(majority_of(1), 1U);
  EXPECT_EQ(majority_of(2), 2U);
  EXPECT_EQ(majority_of(3), 2U);
  EXPECT_EQ(majority_of(4), 3U);
  EXPECT_EQ(majority_of(5), 3U);
}

TEST(QuorumAcquire, WinsAtTheMajorityAndCountsFromTheSending) {
  auto machine = ask(5);
  EXPECT_EQ(machine.answered(after(1), 4, granted(7)), step::wait);
  EXPECT_EQ(machine.answered(after(2), 0, granted(7)), step::wait);
  EXPECT_EQ(machine.answered(after(30), 2, granted(7)), step::won);
  ASSERT_TRUE(machine.won());
  EXPECT_EQ(machine.won()->fence, 7U);
  EXPECT_EQ(machine.won()->held.sent, start);
  EXPECT_EQ(machine.won()->held.length, seconds{10});
  EXPECT_EQ(machine.answered(after(31), 1, granted(9)), step::wait) << "stragglers change nothing";
  EXPECT_EQ(machine.timer(after(60)), step::wait);
  EXPECT_EQ(machine.won()->fence, 7U);
  EXPECT_EQ(machine.wake_at(), runtime::never);
}

TEST(QuorumAcquire, DeadNodesAreVotesAgainst) {  // D3
  auto machine = ask(3);
  EXPECT_EQ(machine.failed(after(1), 0), step::wait);
  EXPECT_EQ(machine.answered(after(2), 1, granted(7)), step::wait);
  EXPECT_EQ(machine.answered(after(3), 2, granted(7)), step::won);
}

TEST(QuorumAcquire, IsRefusedAsSoonAsNoMajorityCanBeReached) {
  auto machine = ask(5);
  EXPECT_EQ(machine.answered(after(1), 0, held("other")), step::wait);
  EXPECT_EQ(machine.answered(after(1), 1, held("other")), step::wait);
  EXPECT_EQ(machine.answered(after(2), 2, held("other")), step::refused);
  EXPECT_EQ(machine.why(), refusal::held);
  EXPECT_EQ(machine.holder(), "other");
  EXPECT_FALSE(machine.won());
}

TEST(QuorumAcquire, AnEvenSplitEndsAtOnce) {  // D10
  auto machine = ask(4);
  EXPECT_EQ(machine.answered(after(1), 0, granted(7)), step::wait);
  EXPECT_EQ(machine.answered(after(1), 1, granted(7)), step::wait);
  EXPECT_EQ(machine.answered(after(1), 2, held("other")), step::wait) << "the fourth may still be ours";
  EXPECT_EQ(machine.answered(after(1), 3, held("other")), step::refused);
  EXPECT_EQ(machine.why(), refusal::split);
}

TEST(QuorumAcquire, VotesThatOthersShareAreASplitToo) {
  auto machine = ask(3);
  EXPECT_EQ(machine.answered(after(1), 0, held("one")), step::wait);
  EXPECT_EQ(machine.answered(after(1), 1, held("two")), step::refused);
  EXPECT_EQ(machine.why(), refusal::split);
}

TEST(QuorumAcquire, NamesWhomItWaitsForOnceAMajorityHasAnswered) {
  auto machine = ask(5);
  machine.answered(after(1), 0, granted(7));
  machine.answered(after(1), 1, held("other"));
  EXPECT_TRUE(machine.stragglers().empty()) << "without them there is no majority of answers";
  machine.answered(after(1), 2, held("other"));
  EXPECT_EQ(machine.stragglers(), (std::vector<std::size_t>{3, 4}));
  machine.answered(after(1), 3, granted(7));
  EXPECT_EQ(machine.stragglers(), (std::vector<std::size_t>{4}));
  EXPECT_EQ(machine.failed(after(1), 4), step::refused);
  EXPECT_EQ(machine.why(), refusal::split);
  EXPECT_TRUE(machine.stragglers().empty());
}

TEST(QuorumAcquire, SilenceEndsAtTheLimitOfANode) {
  auto machine = ask(5);
  machine.answered(after(1), 0, granted(7));
  machine.answered(after(1), 1, granted(7));
  EXPECT_EQ(machine.wake_at(), start + limit);
  EXPECT_EQ(machine.timer(after(49)), step::wait);
  EXPECT_EQ(machine.timer(after(50)), step::refused);
  EXPECT_EQ(machine.why(), refusal::unreachable);
  EXPECT_EQ(machine.answers(), 2U);
}

TEST(QuorumAcquire, NothingIsWonPastTheDeadline) {  // D10: a lock 514 ms past its own end
  quorum_acquire machine{
      {.nodes = 3, .ttl = milliseconds{100}, .stop_margin = milliseconds{10}, .node_limit = seconds{5}}};
  machine.start(start);
  EXPECT_EQ(machine.wake_at(), after(87)) << "100 ms less 1 ms, 2 ms and the margin";
  machine.answered(after(1), 0, granted(7));
  EXPECT_EQ(machine.answered(after(87), 1, granted(7)), step::refused);
  EXPECT_EQ(machine.why(), refusal::late);
}

TEST(QuorumAcquire, CancelledIsRefusedAndStaysSo) {
  auto machine = ask(3);
  machine.answered(after(1), 0, granted(7));
  EXPECT_EQ(machine.cancel(), step::refused);
  EXPECT_EQ(machine.why(), refusal::cancelled);
  EXPECT_EQ(machine.answered(after(2), 1, granted(7)), step::wait);
  EXPECT_FALSE(machine.won());
}

TEST(QuorumAcquire, WritesTheGreatestNumberBackWhereItIsMissing) {
  auto machine = ask(5);
  machine.answered(after(1), 0, granted(101));
  machine.answered(after(1), 1, granted(51));
  ASSERT_EQ(machine.answered(after(20), 2, granted(51)), step::note);
  EXPECT_EQ(machine.number(), 101U);
  EXPECT_EQ(machine.take_unnoted(), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(machine.take_unnoted().empty());
  EXPECT_FALSE(machine.won());
  EXPECT_EQ(machine.wake_at(), after(20) + limit) << "a round of its own";
  EXPECT_EQ(machine.noted(after(21), 1, note_reply::noted), step::wait);
  EXPECT_EQ(machine.noted(after(22), 2, note_reply::noted), step::won);
  EXPECT_EQ(machine.won()->fence, 101U);
  EXPECT_EQ(machine.won()->held.sent, start) << "still from the first sending";
}

TEST(QuorumAcquire, ALateVoteHelpsTheWriteBack) {
  auto machine = ask(5);
  machine.answered(after(1), 0, granted(101));
  machine.answered(after(1), 1, granted(51));
  machine.answered(after(1), 2, granted(51));
  machine.take_unnoted();
  EXPECT_EQ(machine.answered(after(2), 3, granted(60)), step::note);
  EXPECT_EQ(machine.take_unnoted(), (std::vector<std::size_t>{3}));
  EXPECT_EQ(machine.answered(after(3), 4, granted(120)), step::wait) << "120 covers 101, which makes two";
  EXPECT_EQ(machine.noted(after(4), 3, note_reply::noted), step::won);
  EXPECT_EQ(machine.won()->fence, 101U);
}

TEST(QuorumAcquire, AVoteThatIsGoneDoesNotCountForTheFence) {
  auto machine = ask(3);
  machine.answered(after(1), 0, granted(101));
  ASSERT_EQ(machine.answered(after(1), 1, granted(51)), step::note);
  EXPECT_EQ(machine.answered(after(1), 2, held("other")), step::wait);
  EXPECT_EQ(machine.noted(after(2), 1, note_reply::taken), step::refused);
  EXPECT_FALSE(machine.won());
}

TEST(QuorumAcquire, AnUnansweredWriteBackEndsAtItsLimit) {
  auto machine = ask(3);
  machine.answered(after(1), 0, granted(101));
  machine.answered(after(1), 1, granted(51));
  EXPECT_EQ(machine.timer(after(50)), step::wait);
  EXPECT_EQ(machine.timer(after(51)), step::refused);
  EXPECT_EQ(machine.why(), refusal::unreachable);
}

TEST(QuorumAcquire, WithoutAFenceNumbersDoNotMatter) {
  auto machine = ask(3, false);
  machine.answered(after(1), 0, granted(5));
  EXPECT_EQ(machine.answered(after(1), 1, granted(6)), step::won);
  EXPECT_EQ(machine.won()->fence, 0U);
}

TEST(QuorumAcquire, YoungNodesDoNotVote) {
  auto machine = ask(3);
  EXPECT_EQ(machine.answered(after(1), 0, young(false, 400)), step::wait);
  EXPECT_EQ(machine.answered(after(1), 1, young(false, 300)), step::refused);
  EXPECT_EQ(machine.why(), refusal::young);
  EXPECT_TRUE(machine.fresh().empty());
}

TEST(QuorumAcquire, OnlyAllNodesTogetherAreAFreshQuorum) {
  auto all = ask(3);
  EXPECT_EQ(all.answered(after(1), 0, young(true)), step::wait);
  EXPECT_EQ(all.answered(after(1), 1, young(true)), step::wait)
      << "no majority any more, but worth waiting for the third";
  EXPECT_EQ(all.answered(after(1), 2, young(true)), step::refused);
  EXPECT_EQ(all.why(), refusal::young);
  EXPECT_EQ(all.fresh().size(), 3U);

  auto one_votes = ask(3);
  one_votes.answered(after(1), 0, young(true));
  one_votes.answered(after(1), 1, granted(7));
  EXPECT_EQ(one_votes.answered(after(1), 2, young(true)), step::refused);
  EXPECT_TRUE(one_votes.fresh().empty());

  auto one_is_silent = ask(3);
  one_is_silent.answered(after(1), 0, young(true));
  one_is_silent.answered(after(1), 1, young(true));
  EXPECT_EQ(one_is_silent.timer(after(50)), step::refused);
  EXPECT_TRUE(one_is_silent.fresh().empty());
}

TEST(QuorumAcquire, MayOpenOnlyWhatIsOlderThanEveryLease) {
  EXPECT_FALSE(may_open(seconds{30}, seconds{30}));
  EXPECT_FALSE(may_open(seconds{31}, seconds{30})) << "whole seconds: it may be less";
  EXPECT_TRUE(may_open(seconds{32}, seconds{30}));
}

TEST(QuorumAcquire, TellsAnotherMaxTtl) {
  auto machine = ask(3);
  machine.answered(after(1), 0, {.what = kind::other_max_ttl, .max_ttl = seconds{60}});
  EXPECT_EQ(machine.answered(after(1), 1, held("other")), step::refused);
  EXPECT_EQ(machine.why(), refusal::other_max_ttl);
  EXPECT_EQ(machine.max_ttl(), seconds{60});
}

TEST(QuorumAcquire, TellsWhenAMajorityWillBeFree) {
  auto machine = ask(5);
  machine.answered(after(1), 0, granted(7));
  machine.answered(after(1), 1, held("other", 900));
  machine.answered(after(1), 2, held("other", 200));
  machine.answered(after(1), 3, held("other", 400));
  EXPECT_EQ(machine.left(), milliseconds{400}) << "ours, and the two that end first";
}

TEST(QuorumAcquire, PausesAtRandomAndLongerEachTime) {
  runtime::random_source random;
  for (unsigned tries = 0; tries < 40; ++tries) {
    const auto pause = split_pause(tries, milliseconds{2}, random);
    EXPECT_GE(pause, milliseconds{0});
    EXPECT_LE(pause, std::min(milliseconds{4} * (1U << std::min(tries, 10U)), milliseconds{64}));
  }
}

}  // namespace
}  // namespace holdfast::lock
