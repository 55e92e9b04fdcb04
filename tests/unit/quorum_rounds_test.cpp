// Renewing and releasing on a quorum, answer by answer; and the texts of the nodes.
#include "lock/quorum_release.hpp"
#include "lock/quorum_renew.hpp"
#include "lock/quorum_replies.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;
using renewal = quorum_renewal;
using outcome = quorum_outcome;

constexpr time_point start{seconds{1000}};
constexpr milliseconds limit{50};

quorum_renew renew(std::size_t nodes) {
  quorum_renew made{nodes, limit};
  made.start(start, seconds{10});
  return made;
}
quorum_release release(std::size_t nodes) {
  quorum_release made{nodes, limit};
  made.start(start);
  return made;
}

TEST(QuorumRenew, IsKeptByAMajorityFromTheSendingOn) {
  auto machine = renew(5);
  EXPECT_EQ(machine.answered(0, keep_reply::kept), renewal::wait);
  EXPECT_EQ(machine.failed(1), renewal::wait);
  EXPECT_EQ(machine.answered(2, keep_reply::kept), renewal::wait);
  EXPECT_EQ(machine.answered(3, keep_reply::kept), renewal::kept);
  EXPECT_EQ(machine.held().sent, start);
  EXPECT_EQ(machine.held().length, seconds{10});
  EXPECT_EQ(machine.wake_at(), runtime::never);
}

TEST(QuorumRenew, NodesThatCameBackAreAskedAgainOnceItIsKept) {
  auto machine = renew(5);
  machine.answered(0, keep_reply::gone);
  EXPECT_TRUE(machine.take_gone().empty()) << "not before a majority has kept it";
  machine.answered(1, keep_reply::kept);
  machine.answered(2, keep_reply::kept);
  EXPECT_EQ(machine.answered(3, keep_reply::kept), renewal::kept);
  EXPECT_EQ(machine.take_gone(), (std::vector<std::size_t>{0}));
  EXPECT_EQ(machine.answered(4, keep_reply::gone), renewal::wait);
  EXPECT_EQ(machine.take_gone(), (std::vector<std::size_t>{4})) << "also those that answer later";
  EXPECT_TRUE(machine.take_gone().empty());
}

TEST(QuorumRenew, AMajorityThatForgotIsALossAndNothingIsMadeAnew) {  // D19
  auto machine = renew(3);
  EXPECT_EQ(machine.answered(0, keep_reply::gone), renewal::wait);
  EXPECT_EQ(machine.answered(1, keep_reply::gone), renewal::lost);
  EXPECT_EQ(machine.cause(), loss_cause::gone);
  EXPECT_TRUE(machine.take_gone().empty());
}

TEST(QuorumRenew, OfAnEvenNumberHalfIsEnoughToLoseIt) {
  auto machine = renew(4);
  EXPECT_EQ(machine.answered(0, keep_reply::taken), renewal::wait);
  EXPECT_EQ(machine.answered(1, keep_reply::taken), renewal::lost);
  EXPECT_EQ(machine.cause(), loss_cause::taken);
}

TEST(QuorumRenew, AMissedRoundIsNoLoss) {  // D20
  auto machine = renew(3);
  EXPECT_EQ(machine.answered(0, keep_reply::kept), renewal::wait);
  EXPECT_EQ(machine.timer(start + milliseconds{49}), renewal::wait);
  EXPECT_EQ(machine.timer(start + limit), renewal::failed);
  EXPECT_EQ(machine.answered(1, keep_reply::kept), renewal::wait) << "too late for this round";
}

TEST(QuorumRenew, YoungNodesConfirmNothingAndDisproveNothing) {
  auto machine = renew(3);
  EXPECT_EQ(machine.answered(0, keep_reply::kept), renewal::wait);
  EXPECT_EQ(machine.answered(1, keep_reply::young), renewal::wait);
  EXPECT_EQ(machine.answered(2, keep_reply::young), renewal::failed);
}

TEST(QuorumRelease, IsReleasedAtTheMajority) {
  auto machine = release(5);
  EXPECT_EQ(machine.answered(0, true), outcome::wait);
  EXPECT_EQ(machine.answered(1, true), outcome::wait);
  EXPECT_EQ(machine.answered(2, true), outcome::released);
  EXPECT_EQ(machine.unanswered(), (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(machine.answered(3, false), outcome::wait);
  EXPECT_EQ(machine.unanswered(), (std::vector<std::size_t>{4}));
}

TEST(QuorumRelease, WasLostWhenNoMajorityCanHaveHadIt) {
  auto machine = release(3);
  EXPECT_EQ(machine.answered(0, false), outcome::wait);
  EXPECT_EQ(machine.answered(1, false), outcome::was_lost);
}

TEST(QuorumRelease, ASilentNodeMayHaveBeenTheThirdVote) {
  auto machine = release(5);
  machine.answered(0, true);
  machine.answered(1, true);
  machine.answered(2, false);
  EXPECT_EQ(machine.answered(3, false), outcome::wait);
  EXPECT_EQ(machine.timer(start + limit), outcome::released);
  EXPECT_EQ(machine.unanswered(), (std::vector<std::size_t>{4}));
}

TEST(QuorumRelease, IsUnknownWithoutAMajorityOfAnswers) {
  auto machine = release(3);
  machine.answered(0, true);
  EXPECT_EQ(machine.failed(1), outcome::wait);
  EXPECT_EQ(machine.failed(2), outcome::unknown);
}

resp::value text(std::string words) {
  resp::value made;
  made.type = resp::kind::bulk;
  made.text = std::move(words);
  return made;
}

TEST(QuorumReplies, AreReadExactly) {
  using kind = vote_reply::kind;
  EXPECT_EQ(read_vote(text("granted 1794777060182298"))->number, 1794777060182298U);
  const auto held = read_vote(text("held 1200 host:1:ab cd"));
  ASSERT_TRUE(held);
  EXPECT_EQ(held->what, kind::held);
  EXPECT_EQ(held->left, milliseconds{1200});
  EXPECT_EQ(held->holder, "host:1:ab cd");
  const auto young = read_vote(text("young 250 abc123 17 30000 none"));
  ASSERT_TRUE(young);
  EXPECT_EQ(young->what, kind::young);
  EXPECT_EQ(young->left, milliseconds{250});
  EXPECT_EQ(young->seat, "abc123 17 30000 none");
  EXPECT_TRUE(young->fresh);
  EXPECT_FALSE(read_vote(text("young 250 abc123 17 30000 run"))->fresh);
  EXPECT_EQ(read_vote(text("refused max_ttl 30000"))->max_ttl, seconds{30});
  EXPECT_EQ(*read_keep(text("kept")), keep_reply::kept);
  EXPECT_EQ(*read_keep(text("young 250 abc123 17 30000 none")), keep_reply::young);
  EXPECT_EQ(*read_keep(text("refused max_ttl 5")), keep_reply::other_max_ttl);
  EXPECT_EQ(*read_note(text("noted")), note_reply::noted);
}

TEST(QuorumReplies, AnythingElseIsProtocol) {
  for (const char* odd : {"", "granted", "granted ", "granted x", "granted 1 ", "held 5", "young 5", "young 5 a 1 2",
                          "young -5 a 1 2 none", "refused", "refused max_ttl", "refused max_ttl x", "kept"}) {
    const auto read = read_vote(text(odd));
    ASSERT_FALSE(read) << odd;
    EXPECT_EQ(read.code(), errc::protocol) << odd;
  }
  EXPECT_FALSE(read_keep(text("keptt")));
  EXPECT_FALSE(read_note(text("kept")));
  resp::value number;
  number.type = resp::kind::integer;
  number.integer = 2;
  EXPECT_FALSE(read_give_back(number));
  EXPECT_FALSE(read_vote(number));
  number.integer = 1;
  EXPECT_TRUE(*read_give_back(number));
}

}  // namespace
}  // namespace holdfast::lock
