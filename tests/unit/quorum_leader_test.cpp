// Who leads, by the answers of a quorum's nodes: what a majority says, as early as nothing can change it, and never a guess.
#include "lock/quorum_leader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/seed.hpp"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

const failure away{errc::unreachable, "no connection"};

leader_vote vote(const std::string& owner, std::chrono::milliseconds left, std::uint64_t term = 0,
                 const std::string& id = "me") {
  return {owner, left, term == 0 ? std::string{} : write_leader({id, owner, term, {}})};
}

TEST(QuorumLeader, IsWhoAMajorityVotesForWithTheRecordOfAnyOfThem) {
  quorum_leader of{5};
  of.answered(vote("a", 900ms));
  of.answered(vote("a", 700ms, 17));
  EXPECT_FALSE(of.decided());
  of.answered(vote("a", 800ms));
  ASSERT_TRUE(of.decided());
  const auto seen = of.answer();
  ASSERT_TRUE(seen && seen->who);
  EXPECT_TRUE(seen->settled);
  EXPECT_EQ(seen->who->owner, "a");
  EXPECT_EQ(seen->who->id, "me");
  EXPECT_EQ(seen->who->term, 17U);
  EXPECT_EQ(seen->who->remaining, 700ms) << "with the first of three a majority ends";
}

TEST(QuorumLeader, LeadsForAsLongAsAMajorityGoesOn) {
  quorum_leader of{5};
  for (const auto left : {100ms, 500ms, 300ms, 400ms}) of.answered(vote("a", left));
  of.answered(vote("a", 200ms, 1));
  EXPECT_EQ(of.answer()->who->remaining, 300ms);
}

TEST(QuorumLeader, ARecordOfAnotherOwnerIsNotBelieved) {
  quorum_leader of{3};
  of.answered({"b", 100ms, write_leader({"me", "a", 5, {}})});
  of.answered({"b", 100ms, "rubbish"});
  EXPECT_FALSE(of.decided()) << "the third may have it";
  of.answered({"b", 100ms, ""});
  EXPECT_TRUE(of.decided());
  ASSERT_TRUE(of.answer());
  EXPECT_FALSE(of.answer()->who);
  EXPECT_FALSE(of.answer()->settled);
}

TEST(QuorumLeader, OfSeveralRecordsTheOneWithTheGreatestTermCounts) {
  quorum_leader of{3};
  of.answered(vote("a", 1s, 4, "old"));
  of.answered(vote("a", 1s, 9, "new"));
  of.answered(vote("a", 1s, 6, "between"));
  EXPECT_EQ(of.answer()->who->id, "new");
}

TEST(QuorumLeader, NobodyLeadsWhereNobodyCanHaveAMajority) {
  quorum_leader free{5};
  free.answered({});
  free.answered({});
  EXPECT_FALSE(free.decided());
  free.answered({});
  EXPECT_TRUE(free.decided());
  ASSERT_TRUE(free.answer());
  EXPECT_TRUE(!free.answer()->who && free.answer()->settled);

  quorum_leader split{4};
  split.answered(vote("a", 1s, 1));
  split.answered(vote("b", 1s, 2));
  split.answered(vote("a", 1s, 1));
  EXPECT_FALSE(split.decided());
  split.answered(vote("b", 1s, 2));
  ASSERT_TRUE(split.answer());
  EXPECT_TRUE(!split.answer()->who && split.answer()->settled) << "two of four are no majority";
}

TEST(QuorumLeader, WithoutAMajorityItIsUnreachableAndSaysHowManyAnswered) {
  quorum_leader of{5};
  of.answered(vote("a", 1s, 1));
  of.failed(away);
  of.failed(away);
  EXPECT_FALSE(of.decided());
  of.failed(away);
  EXPECT_TRUE(of.decided());
  EXPECT_EQ(of.answer().code(), errc::unreachable);
  EXPECT_EQ(of.answer().failure().detail, "1 of 5 nodes answered, 3 are needed");
}

TEST(QuorumLeader, WhatTheNodesRefusedForIsTold) {
  quorum_leader of{3};
  of.failed(away);
  of.failed({errc::wrong_type, "a hash"});
  EXPECT_EQ(of.answer().code(), errc::wrong_type);
}

TEST(QuorumLeader, WhetherOneLeadsWithVotesOfSilentNodesIsNotGuessed) {
  quorum_leader of{5};
  of.failed(away);
  of.answered(vote("a", 1s, 1));
  of.answered(vote("a", 1s, 1));
  of.answered({});
  EXPECT_FALSE(of.decided());
  of.failed(away);
  EXPECT_EQ(of.answer().code(), errc::unreachable);
  EXPECT_NE(of.answer().failure().detail.find("2 of them vote for a"), std::string::npos);
}

TEST(QuorumLeader, ReadsWhatTheScriptSays) {
  const auto text = [](std::string what) {
    resp::value made;
    made.type = resp::kind::bulk;
    made.text = std::move(what);
    return made;
  };
  resp::value list;
  list.type = resp::kind::array;
  EXPECT_EQ(read_leader_vote(list)->owner, "");
  resp::value left;
  left.type = resp::kind::integer;
  left.integer = 250;
  list.items = {text("a"), left, text("r")};
  const auto read = read_leader_vote(list);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->owner, "a");
  EXPECT_EQ(read->left, 250ms);
  EXPECT_EQ(read->record, "r");
  list.items = {text("a"), text("250"), text("r")};
  EXPECT_EQ(read_leader_vote(list).code(), errc::protocol);
  list.items.pop_back();
  EXPECT_EQ(read_leader_vote(list).code(), errc::protocol);
  EXPECT_EQ(read_leader_vote(text("none")).code(), errc::protocol);
}

// Any order of any answers: what is decided early is what all answers say; and what is said is true of the nodes as they are,
// the silent ones included.
TEST(QuorumLeader, WhatIsDecidedEarlyIsNotChangedByTheRest) {
  std::mt19937 random{test::make_seed()};
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t nodes = 3 + random() % 4;
    std::vector<leader_vote> truth;
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::string owner = random() % 4 == 0 ? "" : random() % 3 == 0 ? "b" : "a";
      truth.push_back(owner.empty() ? leader_vote{} : vote(owner, 1s, random() % 2 == 0 ? 0 : owner == "a" ? 7 : 8));
    }
    const auto votes_of = [&](const std::string& owner) {
      return static_cast<std::size_t>(
          std::count_if(truth.begin(), truth.end(), [&](const leader_vote& each) { return each.owner == owner; }));
    };
    quorum_leader of{nodes};
    std::optional<result<leader_look>> early;
    for (const leader_vote& each : truth) {
      if (random() % 4 == 0) {
        of.failed(away);
      } else {
        of.answered(each);
      }
      if (of.decided() && !early) early = of.answer();
      if (early) {
        const auto later = of.answer();
        ASSERT_EQ(early->operator bool(), later.operator bool());
        if (!later) continue;
        ASSERT_EQ((*early)->settled, later->settled);
        ASSERT_EQ((*early)->who.has_value(), later->who.has_value());
        if (later->who) {
          ASSERT_EQ((*early)->who->owner, later->who->owner);
        }
      }
    }
    ASSERT_TRUE(early) << "with all answers in, it is decided";
    if (!*early) continue;
    const std::size_t needed = nodes / 2 + 1;
    if ((*early)->who) {
      ASSERT_GE(votes_of((*early)->who->owner), needed);
      ASSERT_EQ((*early)->who->term, (*early)->who->owner == "a" ? 7U : 8U);
    } else if ((*early)->settled) {
      ASSERT_LT(std::max(votes_of("a"), votes_of("b")), needed);
    } else {
      ASSERT_GE(std::max(votes_of("a"), votes_of("b")), needed);
    }
  }
}

}  // namespace
}  // namespace holdfast::lock
