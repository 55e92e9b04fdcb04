// Readers and writers on a quorum: what the nodes' answers mean for one try, and which scripts they are asked by.
#include <gtest/gtest.h>

#include "lock/quorum_acquire.hpp"
#include "lock/shares.hpp"
#include "lock/voting.hpp"

namespace holdfast::lock {
namespace {

using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;
using kind = vote_reply::kind;
using step = quorum_step;
using refusal = quorum_refusal;

constexpr time_point start{seconds{1000}};

vote_reply granted(std::uint64_t number) { return {.what = kind::granted, .number = number}; }
vote_reply held(std::string by) { return {.what = kind::held, .left = milliseconds{100}, .holder = std::move(by)}; }
vote_reply busy(std::string by, int left = 100) {
  return {.what = kind::held, .left = milliseconds{left}, .holder = std::move(by), .rival = "readers"};
}
vote_reply refused(std::string why) { return {.what = kind::refused, .refusal = std::move(why)}; }

// The answers in the order of the nodes, as far as they are needed.
quorum_acquire ask(std::size_t nodes, std::vector<vote_reply> answers) {
  quorum_acquire made{{.nodes = nodes, .ttl = seconds{10}, .node_limit = milliseconds{50}}};
  made.start(start);
  for (std::size_t i = 0; i < answers.size(); ++i) made.answered(start + milliseconds{1}, i, answers[i]);
  return made;
}

TEST(QuorumShares, ReadersOnDifferentNodesAreNoSplit) {
  const auto machine = ask(5, {granted(1), granted(1), busy("a", 50), busy("b", 90), busy("c", 70)});
  EXPECT_EQ(machine.why(), refusal::held);
  EXPECT_EQ(machine.left(), milliseconds{50}) << "with two votes, one more is a majority";
  EXPECT_EQ(ask(5, {busy("a"), busy("b"), busy("c")}).why(), refusal::held);
}

TEST(QuorumShares, WritersOnDifferentNodesAre) {
  EXPECT_EQ(ask(5, {granted(1), granted(1), held("a"), held("b"), held("b")}).why(), refusal::split);
  EXPECT_EQ(ask(5, {granted(1), busy("a"), busy("b"), held("c"), held("c")}).why(), refusal::split)
      << "readers and a writer, none of whom has it";
  EXPECT_EQ(ask(5, {busy("a"), busy("b"), held("c")}).why(), refusal::held)
      << "whoever has no vote is in nobody's way, and waits to be told";
  EXPECT_EQ(ask(5, {granted(1), busy("a"), busy("b"), granted(1), held("c")}).why(), refusal::split);
}

TEST(QuorumShares, TheHolderIsNamedAlsoIfItIsOneOfSeveral) {
  EXPECT_EQ(ask(3, {busy("a"), busy("a")}).holder(), "a");
  EXPECT_EQ(ask(5, {busy("a"), busy("b"), busy("b")}).holder(), "b");
}

TEST(QuorumShares, OneNodesWordIsEnoughForADeadlock) {
  const auto machine = ask(5, {busy("a"), refused("deadlock"), busy("a")});
  EXPECT_EQ(machine.why(), refusal::refused);
  EXPECT_EQ(machine.refusal(), "deadlock");
}

TEST(QuorumShares, AShareIsLostWhenNoMajorityCanHaveIt) {
  EXPECT_EQ(ask(5, {refused("lost"), refused("lost"), busy("a")}).why(), refusal::held) << "three may have it";
  const auto machine = ask(5, {refused("lost"), refused("lost"), refused("lost")});
  EXPECT_EQ(machine.why(), refusal::refused);
  EXPECT_EQ(machine.refusal(), "lost");
  EXPECT_EQ(ask(3, {refused("lost"), refused("deadlock")}).refusal(), "deadlock")
      << "one node without it is not a loss";
  EXPECT_TRUE(ask(5, {refused("lost"), refused("lost"), granted(1), granted(1), granted(1)}).won());
}

resp::value text(std::string_view what) {
  resp::value made;
  made.type = resp::kind::bulk;
  made.text = what;
  return made;
}

TEST(QuorumShares, AnswersAreRead) {
  const auto some = read_vote(text("full 120 readers host:1:ab"));
  ASSERT_TRUE(some);
  EXPECT_EQ(some->what, kind::held);
  EXPECT_EQ(some->rival, "readers");
  EXPECT_EQ(some->left, milliseconds{120});
  EXPECT_EQ(some->holder, "host:1:ab");
  EXPECT_TRUE(read_vote(text("held 120 host:1:ab"))->rival.empty());
  EXPECT_EQ(read_vote(text("refused lost"))->refusal, "lost");
  EXPECT_EQ(read_vote(text("refused deadlock"))->refusal, "deadlock");
  for (const auto* odd : {"full", "full ", "full x y z", "full 1 readers", "refused", "refused ", "refused because"}) {
    EXPECT_EQ(read_vote(text(odd)).code(), errc::protocol) << odd;
  }
}

TEST(QuorumShares, AreVotedOnByScriptsOfTheirOwn) {
  for (const auto& each : {reader(), writer(), upgrader_of("somebody"), downgrader()}) {
    EXPECT_TRUE(can_be_voted_on(*each));
    EXPECT_EQ(voting_on(*each->acquire, each->extra)->acquire, &scripts::quorum_share_acquire);
    EXPECT_EQ(voting_on(*each->release, each->extra)->release, &scripts::quorum_share_release);
  }
  EXPECT_EQ(voting_on(scripts::acquire, plain()->extra)->acquire, &scripts::quorum_acquire);
  const auto permit = permits(1, 3);
  const voting* const other = voting_on(*permit->acquire, permit->extra);
  EXPECT_TRUE(other == nullptr || other->acquire != &scripts::quorum_share_acquire) << "permits are counted otherwise";
}

// The scripts find the reader before the mode, which is the last.
TEST(QuorumShares, AnUpgradeNamesItsReader) {
  const auto made = upgrader_of("up");
  ASSERT_EQ(made->extra.size(), 4U);
  EXPECT_EQ(made->extra[2], "up");
  EXPECT_EQ(made->extra[3], "up");
  EXPECT_EQ(made->held_as, writer());
  EXPECT_EQ(upgrader()->extra.size(), 3U) << "on one Redis it has the reader's owner";
}

}  // namespace
}  // namespace holdfast::lock
