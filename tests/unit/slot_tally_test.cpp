// Votes counted per slot, and what the machines of the quorum make of them.
#include "lock/slot_tally.hpp"

#include "lock/quorum_acquire.hpp"
#include "lock/quorum_renew.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace holdfast::lock {
namespace {

using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;
using slots = std::vector<slot_number>;
using kind = vote_reply::kind;
using step = quorum_step;
using refusal = quorum_refusal;
using renewal = quorum_renewal;

constexpr time_point start{seconds{1000}};
constexpr milliseconds limit{50};

TEST(SlotTally, AVoteWithoutANumberIsForTheOnlySlot) {
  slot_tally votes{1};
  EXPECT_EQ(votes.least(), 0U);
  votes.add({});
  votes.add({});
  EXPECT_EQ(votes.least(), 2U);
  votes.remove({});
  EXPECT_EQ(votes.least(), 1U);
}

TEST(SlotTally, CountsEachSlotByItself) {
  slot_tally votes{1};
  votes.add(slots{3});
  votes.add(slots{7});
  EXPECT_EQ(votes.least(), 1U) << "two votes, none for the same";
  votes.add(slots{7});
  EXPECT_EQ(votes.least(), 2U);
  EXPECT_EQ(votes.best(), (slots{7}));
}

TEST(SlotTally, OfSeveralTheWorstDecides) {
  slot_tally votes{2};
  votes.add(slots{0, 1});
  votes.add(slots{1, 2});
  EXPECT_EQ(votes.least(), 1U);
  votes.add(slots{0, 2});
  EXPECT_EQ(votes.least(), 2U);
  EXPECT_EQ(votes.best(), (slots{0, 1})) << "of equals the first";
  votes.add(slots{2, 9});
  EXPECT_EQ(votes.best(), (slots{0, 2}));
  votes.remove(slots{0, 2});
  EXPECT_EQ(votes.best(), (slots{1, 2}));
}

TEST(SlotTally, TooFewSlotsAreNone) {
  slot_tally votes{3};
  votes.add(slots{0, 1});
  EXPECT_EQ(votes.least(), 0U);
  EXPECT_EQ(votes.best(), (slots{0, 1}));
}

resp::value text(std::string what) {
  resp::value made;
  made.type = resp::kind::bulk;
  made.text = std::move(what);
  return made;
}

TEST(SlotTally, IsReadFromTheNodesAnswers) {
  const auto given = read_vote(text("granted 17 9,0"));
  ASSERT_TRUE(given);
  EXPECT_EQ(given->what, kind::granted);
  EXPECT_EQ(given->number, 17U);
  EXPECT_EQ(given->slots, (slots{0, 9})) << "around the end";
  const auto none = read_vote(text("full 120 00000000000000ab host:7:00cd 12"));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->what, kind::held);
  EXPECT_EQ(none->left, milliseconds{120});
  EXPECT_EQ(none->rival, "00000000000000ab");
  EXPECT_EQ(none->holder, "host:7:00cd 12");
  const auto fewer = read_vote(text("refused too_many 3"));
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->what, kind::refused);
  EXPECT_EQ(fewer->refusal, "too_many 3");
  EXPECT_EQ(read_keep(text("kept 3,4")).value(), keep_reply::kept);
  EXPECT_EQ(read_kept_slots(text("kept 3,4")), (slots{3, 4}));
  EXPECT_EQ(write_slots(slots{3, 4}), "3,4");
  for (const char* odd :
       {"granted 17 ", "granted 17 ,", "granted 17 3,", "granted 17 3,3", "granted 17 -1", "granted 17 a", "full 120",
        "full x y z", "full 120 mark", "refused too_many", "refused too_many x"}) {
    EXPECT_EQ(read_vote(text(odd)).code(), errc::protocol) << odd;
  }
  for (const char* odd : {"kept ", "kept 3,", "kept a", "kept 3,3"}) {
    EXPECT_EQ(read_keep(text(odd)).code(), errc::protocol) << odd;
  }
}

quorum_acquire ask(std::size_t nodes, std::size_t wanted, bool fence = true) {
  quorum_acquire made{{.nodes = nodes, .ttl = seconds{10}, .node_limit = limit, .fence = fence, .slots = wanted}};
  EXPECT_EQ(made.start(start), step::ask);
  return made;
}
vote_reply granted(std::uint64_t number, slots which) {
  return {.what = kind::granted, .number = number, .slots = std::move(which)};
}
vote_reply full(std::string rival, std::string holder = "first") {
  return {.what = kind::held, .left = milliseconds{100}, .holder = std::move(holder), .rival = std::move(rival)};
}

TEST(QuorumPermits, AMajorityForEachSlotWins) {
  auto machine = ask(5, 2);
  EXPECT_EQ(machine.answered(start, 0, granted(7, {0, 1})), step::wait);
  EXPECT_EQ(machine.answered(start, 1, granted(7, {0, 1})), step::wait);
  EXPECT_EQ(machine.answered(start, 2, granted(7, {1, 2})), step::wait) << "three nodes, but two votes for slot 0";
  EXPECT_EQ(machine.answered(start, 3, granted(7, {0, 4})), step::won);
  EXPECT_EQ(machine.slots(), (slots{0, 1}));
  EXPECT_EQ(machine.astray(), (std::vector<std::size_t>{2, 3}));
}

TEST(QuorumPermits, FiveNodesDoNotLetInFiveOfThree) {
  // Every node has room for three; were nodes counted and not slots, this attempt would be the fourth to get in.
  auto machine = ask(5, 1);
  EXPECT_EQ(machine.answered(start, 0, granted(7, {0})), step::wait);
  EXPECT_EQ(machine.answered(start, 1, granted(7, {1})), step::wait);
  EXPECT_EQ(machine.answered(start, 2, granted(7, {2})), step::wait);
  EXPECT_EQ(machine.answered(start, 3, full("x")), step::refused) << "no slot can have three any more";
  EXPECT_EQ(machine.why(), refusal::split);
}

TEST(QuorumPermits, VotesForDifferentSlotsAreASplit) {
  auto machine = ask(3, 1);
  machine.answered(start, 0, granted(7, {0}));
  machine.answered(start, 1, granted(7, {1}));
  EXPECT_EQ(machine.answered(start, 2, granted(7, {2})), step::refused);
  EXPECT_EQ(machine.why(), refusal::split);
}

TEST(QuorumPermits, FullNodesThatNameDifferentOnesAreHeldForWhoeverHasNoVote) {
  auto machine = ask(3, 1);
  machine.answered(start, 0, full("one", "a"));
  EXPECT_EQ(machine.answered(start, 1, full("two", "a")), step::refused);
  EXPECT_EQ(machine.why(), refusal::held);
  EXPECT_EQ(machine.holder(), "a");
  auto other = ask(3, 1);
  other.answered(start, 0, granted(7, {0}));
  other.answered(start, 1, full("one"));
  EXPECT_EQ(other.answered(start, 2, full("two")), step::refused);
  EXPECT_EQ(other.why(), refusal::split) << "they contend for the same slot as we do";
}

TEST(QuorumPermits, AMajorityMustHaveNotedTheNumberForEachSlot) {
  auto machine = ask(5, 1);
  machine.answered(start, 0, granted(9, {0}));
  machine.answered(start, 1, granted(9, {1}));
  machine.answered(start, 2, granted(9, {0}));
  EXPECT_EQ(machine.answered(start, 3, granted(7, {0})), step::note) << "three noted 9, but only two of them slot 0";
  EXPECT_EQ(machine.take_unnoted(), (std::vector<std::size_t>{3}));
  EXPECT_EQ(machine.noted(start, 3, note_reply::noted), step::won);
  EXPECT_EQ(machine.won()->fence, 9U);
}

TEST(QuorumPermits, AVoteThatIsGoneAtTheNoteCountsForItsSlotNoMore) {
  auto machine = ask(3, 1);
  machine.answered(start, 0, granted(9, {0}));
  EXPECT_EQ(machine.answered(start, 1, granted(7, {0})), step::note);
  EXPECT_EQ(machine.answered(start, 2, granted(9, {1})), step::wait) << "for another slot";
  EXPECT_EQ(machine.noted(start, 1, note_reply::gone), step::refused);
}

TEST(QuorumPermits, MoreThanThereAreIsToldWhenAMajoritySaysSo) {
  auto machine = ask(3, 4);
  EXPECT_EQ(machine.answered(start, 0, {.what = kind::refused, .refusal = "too_many 3"}), step::wait);
  EXPECT_EQ(machine.answered(start, 1, {.what = kind::refused, .refusal = "too_many 2"}), step::refused);
  EXPECT_EQ(machine.why(), refusal::refused);
  EXPECT_EQ(machine.refusal(), "too_many 2");
  auto other = ask(3, 2);
  other.answered(start, 0, {.what = kind::refused, .refusal = "too_many 1"});
  other.answered(start, 1, granted(7, {0, 1}));
  EXPECT_EQ(other.answered(start, 2, granted(7, {0, 1})), step::won) << "what a minority believes hinders nobody";
}

quorum_renew renew(std::size_t nodes, std::size_t wanted) {
  quorum_renew made{nodes, limit, wanted};
  made.start(start, seconds{10});
  return made;
}

TEST(QuorumPermits, IsKeptWhenEachSlotIs) {
  auto machine = renew(3, 2);
  EXPECT_EQ(machine.answered(0, keep_reply::kept, slots{4, 5}), renewal::wait);
  EXPECT_EQ(machine.answered(1, keep_reply::kept, slots{4}), renewal::wait);
  EXPECT_EQ(machine.answered(2, keep_reply::kept, slots{5}), renewal::kept);
  EXPECT_EQ(machine.take_gone(), (std::vector<std::size_t>{1, 2})) << "asked for what they have not";
}

TEST(QuorumPermits, IsLostWhenOneSlotIs) {
  auto machine = renew(3, 2);
  EXPECT_EQ(machine.answered(0, keep_reply::kept, slots{4}), renewal::wait);
  EXPECT_EQ(machine.answered(1, keep_reply::kept, slots{4}), renewal::lost) << "slot 5 can have one at most";
  auto other = renew(3, 2);
  other.answered(0, keep_reply::kept, slots{4});
  other.failed(1);
  EXPECT_EQ(other.answered(2, keep_reply::kept, slots{4, 5}), renewal::failed) << "the silent one may have both";
}

// Any number of attempts against nodes that give each slot once: no slot is won twice, whatever was heard in which order.
TEST(QuorumPermits, NeverWinTheSameSlotTwice) {
  std::mt19937 random{20261116};
  const auto pick = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>{0, below - 1}(random); };
  std::size_t wins = 0;
  std::size_t splits = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t nodes = 3 + pick(4);
    const std::size_t capacity = 1 + pick(5);
    std::vector<std::vector<bool>> taken(nodes, std::vector<bool>(capacity));
    std::vector<unsigned> won(capacity);
    struct attempt {
      quorum_acquire machine;
      std::size_t wanted;
      std::size_t from;
      std::vector<std::size_t> order;
    };
    std::vector<attempt> all;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t wanted = 1 + pick(capacity);
      all.push_back({ask(nodes, wanted, false), wanted, pick(capacity), {}});
      for (std::size_t n = 0; n < nodes; ++n) all.back().order.push_back(n);
      std::shuffle(all.back().order.begin(), all.back().order.end(), random);
    }
    for (std::size_t turn = 0; turn < nodes * all.size(); ++turn) {
      attempt& each = all[pick(all.size())];
      if (each.order.empty()) continue;
      const std::size_t node = each.order.back();
      each.order.pop_back();
      if (pick(10) == 0) {
        each.machine.failed(start, node);
        continue;
      }
      slots free;
      for (std::size_t i = 0; i < capacity && free.size() < each.wanted; ++i) {
        const std::size_t slot = (each.from + i) % capacity;
        if (!taken[node][slot]) free.push_back(static_cast<slot_number>(slot));
      }
      if (free.size() < each.wanted) {
        if (each.machine.answered(start, node, full("x")) == step::refused) ++splits;
        continue;
      }
      for (const slot_number slot : free) taken[node][slot] = true;
      std::ranges::sort(free);
      if (each.machine.answered(start, node, granted(1, free)) != step::won) continue;
      ++wins;
      ASSERT_EQ(each.machine.slots().size(), each.wanted);
      for (const slot_number slot : each.machine.slots()) EXPECT_EQ(++won[slot], 1U) << "in round " << round;
    }
  }
  EXPECT_GT(wins, 500U);
  EXPECT_GT(splits, 500U);
}

}  // namespace
}  // namespace holdfast::lock
