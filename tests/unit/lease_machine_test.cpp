// lease_machine, event by event: no clock, no server. Random sequences: machine_sequences_test.cpp.
#include "lock/lease_machine.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using runtime::never;
using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr time_point t0{seconds{1000}};

terms usual() {
  terms how;
  how.ttl = seconds{30};
  how.stop_margin = seconds{1};
  return how;
}
acquisition whole(const terms& how, time_point sent = t0) { return {.fence = 1, .held = {sent, how.ttl}}; }
lease_machine make(const terms& how) { return {how, whole(how), t0 + milliseconds{1}}; }

// 30 s less 1 %, 2 ms and the stop margin of 1 s.
constexpr time_point usual_deadline = t0 + milliseconds{30'000 - 300 - 2 - 1000};

TEST(LeaseMachine, TheDeadlineCountsFromTheSendingLessDriftAndMargin) {
  const auto machine = make(usual());
  EXPECT_EQ(machine.deadline(), usual_deadline);
  EXPECT_EQ(machine.since(), t0 + milliseconds{1});
  EXPECT_EQ(machine.state(usual_deadline - milliseconds{1}), lease_state::JEOPARDY) << "the renewal is long overdue";
  EXPECT_EQ(machine.state(usual_deadline), lease_state::LOST);
}

TEST(LeaseMachine, RenewsFromAThirdOnAndOnlyOnceUntilTheAnswer) {
  auto machine = make(usual());
  EXPECT_EQ(machine.wake_at(), t0 + seconds{10});
  EXPECT_EQ(machine.timer(t0 + milliseconds{9999}), lease_step::wait);
  EXPECT_EQ(machine.timer(t0 + seconds{10}), lease_step::renew);
  EXPECT_EQ(machine.timer(t0 + seconds{11}), lease_step::wait);
  EXPECT_EQ(machine.wake_at(), usual_deadline);
  EXPECT_EQ(machine.renewed(t0 + seconds{11}, {t0 + seconds{10}, seconds{30}}), lease_step::wait);
  EXPECT_EQ(machine.deadline(), usual_deadline + seconds{10});
  EXPECT_EQ(machine.wake_at(), t0 + seconds{20});
}

TEST(LeaseMachine, AMissingAnswerIsJeopardyFromTwoThirdsOn) {
  auto machine = make(usual());
  machine.timer(t0 + seconds{10});
  EXPECT_EQ(machine.state(t0 + milliseconds{19'999}), lease_state::VALID);
  EXPECT_EQ(machine.state(t0 + seconds{20}), lease_state::JEOPARDY);
  machine.renewed(t0 + seconds{21}, {t0 + seconds{20}, seconds{30}});
  EXPECT_EQ(machine.state(t0 + seconds{21}), lease_state::VALID);
}

TEST(LeaseMachine, AnotherServerIsJeopardyUntilARenewalSentAfterwardsIsAnswered) {
  auto machine = make(usual());
  EXPECT_EQ(machine.timer(t0 + seconds{10}), lease_step::renew);
  machine.doubt(t0 + seconds{11});
  EXPECT_EQ(machine.state(t0 + seconds{11}), lease_state::JEOPARDY);
  machine.renewed(t0 + seconds{12}, {t0 + seconds{10}, seconds{30}});
  EXPECT_EQ(machine.state(t0 + seconds{12}), lease_state::JEOPARDY) << "that was the old server's word";
  EXPECT_EQ(machine.timer(t0 + seconds{12}), lease_step::renew) << "so it is asked again, at once";
  machine.renewed(t0 + seconds{13}, {t0 + seconds{12}, seconds{30}});
  EXPECT_EQ(machine.state(t0 + seconds{13}), lease_state::VALID);
}

TEST(LeaseMachine, WhatTheNewServerDoesNotKnowIsLostByFailover) {
  for (const loss_cause told : {loss_cause::gone, loss_cause::taken}) {
    auto machine = make(usual());
    machine.doubt(t0 + seconds{1});
    EXPECT_EQ(machine.disproved(told), lease_step::lost);
    EXPECT_EQ(machine.cause(), loss_cause::failover);
  }
  auto machine = make(usual());
  machine.doubt(t0 + seconds{1});
  machine.disproved(loss_cause::broken);
  EXPECT_EQ(machine.cause(), loss_cause::broken) << "an operator's word is its own cause";
  auto closed = make(usual());
  closed.doubt(t0 + seconds{2});
  closed.disproved(loss_cause::closed);
  EXPECT_EQ(closed.cause(), loss_cause::closed);
}

TEST(LeaseMachine, AFailedRenewalIsJeopardyAndTriedAgainInsideTheWindow) {
  auto machine = make(usual());
  auto now = t0 + seconds{10};
  int tries = 0;
  while (machine.timer(now) != lease_step::lost) {
    ++tries;
    machine.renewal_failed(now);
    EXPECT_EQ(machine.state(now), lease_state::JEOPARDY);
    now = machine.wake_at();
    ASSERT_LT(tries, 1000);
  }
  EXPECT_EQ(now, usual_deadline) << "not a moment earlier";
  EXPECT_GE(tries, 30) << "one dropped connection is not a loss (D7)";
  EXPECT_EQ(machine.cause(), loss_cause::expired);
}

TEST(LeaseMachine, TheRetryPauseFollowsTheTtlWithinBounds) {
  const auto pause = [](milliseconds ttl) {
    terms how = usual();
    how.ttl = ttl;
    how.stop_margin = ttl / 10;
    auto machine = make(how);
    machine.renewal_failed(t0);
    return machine.wake_at() - t0;
  };
  EXPECT_EQ(pause(milliseconds{100}), milliseconds{5});
  EXPECT_EQ(pause(milliseconds{3000}), milliseconds{100});
  EXPECT_EQ(pause(seconds{3600}), milliseconds{500});
}

TEST(LeaseMachine, TheServersWordEndsItAtOnceAndForEver) {
  for (const loss_cause cause : {loss_cause::gone, loss_cause::taken, loss_cause::broken, loss_cause::closed}) {
    auto machine = make(usual());
    ASSERT_EQ(machine.disproved(cause), lease_step::lost);
    EXPECT_EQ(machine.cause(), cause);
    EXPECT_EQ(machine.state(t0), lease_state::LOST);
    EXPECT_EQ(machine.wake_at(), never);
    EXPECT_EQ(machine.disproved(loss_cause::taken), lease_step::wait) << "told once";
    EXPECT_EQ(machine.renewed(t0, {t0, seconds{30}}), lease_step::wait);
    machine.renewal_failed(t0);
    machine.verify_soon(t0);
    EXPECT_EQ(machine.timer(t0 + seconds{99}), lease_step::wait);
    EXPECT_EQ(machine.state(t0), lease_state::LOST);
    EXPECT_EQ(machine.cause(), cause);
    EXPECT_EQ(machine.wake_at(), never);
  }
}

TEST(LeaseMachine, AConfirmationAfterTheDeadlineDoesNotRevive) {
  auto machine = make(usual());
  machine.timer(t0 + seconds{10});
  EXPECT_EQ(machine.renewed(usual_deadline, {t0 + seconds{10}, seconds{30}}), lease_step::lost);
  EXPECT_EQ(machine.state(usual_deadline), lease_state::LOST);
  EXPECT_EQ(machine.cause(), loss_cause::expired);
}

TEST(LeaseMachine, WithoutRenewalItSimplyEnds) {
  terms how = usual();
  how.renew = false;
  auto machine = make(how);
  EXPECT_EQ(machine.wake_at(), usual_deadline);
  EXPECT_EQ(machine.state(usual_deadline - milliseconds{1}), lease_state::VALID) << "nothing is overdue";
  machine.verify_soon(t0 + seconds{5});
  EXPECT_EQ(machine.wake_at(), usual_deadline);
  EXPECT_EQ(machine.timer(usual_deadline), lease_step::lost);
}

TEST(LeaseMachine, AGrantFromTheQueueIsClaimedSoonEvenWithoutRenewal) {
  for (const bool renew : {true, false}) {
    terms how = usual();
    how.renew = renew;
    lease_machine machine{how, {.fence = 1, .held = {t0, claim_window}, .through_queue = true}, t0 + milliseconds{50}};
    EXPECT_LE(machine.wake_at(), t0 + milliseconds{250});
    EXPECT_GT(machine.wake_at(), t0 + milliseconds{50}) << "a short hold is over before and costs nothing";
    EXPECT_EQ(machine.timer(machine.wake_at()), lease_step::renew);
    EXPECT_EQ(machine.renewal_length(t0 + milliseconds{250}), how.ttl);
    machine.renewal_failed(t0 + milliseconds{300});
    EXPECT_LT(machine.wake_at(), machine.deadline()) << "a failed claim is tried again";
    machine.renewed(t0 + milliseconds{900}, {t0 + milliseconds{800}, how.ttl});
    EXPECT_EQ(machine.deadline(), usual_deadline + milliseconds{800});
  }
}

TEST(LeaseMachine, MaxHoldCapsDeadlineAndRenewalsAndIsTheCause) {
  terms how = usual();
  how.max_hold = seconds{35};
  auto machine = make(how);
  EXPECT_EQ(machine.deadline(), usual_deadline);
  ASSERT_EQ(machine.timer(t0 + seconds{10}), lease_step::renew);
  EXPECT_EQ(machine.renewal_length(t0 + seconds{10}), seconds{25}) << "asks for no more than may be held";
  EXPECT_EQ(machine.renewal_length(t0 + seconds{40}), milliseconds{1}) << "never zero or negative";
  machine.renewed(t0 + seconds{10}, {t0 + seconds{10}, seconds{25}});
  EXPECT_LE(machine.deadline(), t0 + seconds{35});
  const auto end = machine.wake_at();
  EXPECT_EQ(end, machine.deadline()) << "no renewal after the cap is reached";
  EXPECT_EQ(machine.timer(end), lease_step::lost);
}

TEST(LeaseMachine, MaxHoldShorterThanTheTtlIsTheCauseOfTheLoss) {
  terms how = usual();
  how.max_hold = seconds{5};
  auto machine = make(how);
  EXPECT_EQ(machine.deadline(), t0 + seconds{5});
  EXPECT_EQ(machine.timer(t0 + seconds{5}), lease_step::lost);
  EXPECT_EQ(machine.cause(), loss_cause::max_hold);
}

TEST(LeaseMachine, AReconnectVerifiesAtOnceUnlessARenewalIsUnderWay) {
  auto machine = make(usual());
  machine.verify_soon(t0 + seconds{2});
  EXPECT_EQ(machine.wake_at(), t0 + seconds{2});
  ASSERT_EQ(machine.timer(t0 + seconds{2}), lease_step::renew);
  machine.verify_soon(t0 + seconds{3});
  EXPECT_EQ(machine.wake_at(), usual_deadline) << "its answer is awaited";
}

TEST(LeaseMachine, AfterAChangeOfPrimaryItIsInJeopardyUntilVerified) {
  auto machine = make(usual());
  machine.doubt(t0 + seconds{2});
  EXPECT_EQ(machine.state(t0 + seconds{2}), lease_state::JEOPARDY);
  ASSERT_EQ(machine.timer(t0 + seconds{2}), lease_step::renew);
  EXPECT_EQ(machine.state(t0 + seconds{3}), lease_state::JEOPARDY) << "sent is not answered";
  machine.renewal_failed(t0 + seconds{3});
  EXPECT_EQ(machine.state(t0 + seconds{3}), lease_state::JEOPARDY);
  machine.renewed(t0 + seconds{4}, {t0 + seconds{4}, seconds{30}});
  EXPECT_EQ(machine.state(t0 + seconds{4}), lease_state::VALID);
  EXPECT_EQ(machine.disproved(loss_cause::gone), lease_step::lost);
  EXPECT_EQ(machine.cause(), loss_cause::gone) << "verified since";
}

TEST(LeaseMachine, ALeaseThatIsNotRenewedIsVerifiedWithoutBecomingLonger) {
  terms how = usual();
  how.renew = false;
  auto machine = make(how);
  EXPECT_EQ(machine.wake_at(), usual_deadline);
  machine.doubt(t0 + seconds{12});
  ASSERT_EQ(machine.timer(t0 + seconds{12}), lease_step::renew);
  EXPECT_EQ(machine.renewal_length(t0 + seconds{12}), seconds{18});
  machine.renewed(t0 + seconds{13}, {t0 + seconds{12}, seconds{18}});
  EXPECT_EQ(machine.state(t0 + seconds{13}), lease_state::VALID);
  EXPECT_LE(machine.deadline(), t0 + seconds{30} - seconds{1});
  EXPECT_EQ(machine.wake_at(), machine.deadline()) << "no renewal follows";
}

TEST(LeaseMachine, WhatTheOldServerSaysLateDoesNotVerifyALeaseThatIsNotRenewed) {
  terms how = usual();
  how.renew = false;
  auto machine = make(how);
  machine.doubt(t0 + seconds{12});
  ASSERT_EQ(machine.timer(t0 + seconds{12}), lease_step::renew);
  machine.doubt(t0 + seconds{13});  // and it has moved once more
  machine.renewed(t0 + seconds{14}, {t0 + seconds{12}, seconds{18}});
  EXPECT_EQ(machine.state(t0 + seconds{14}), lease_state::JEOPARDY);
  EXPECT_EQ(machine.timer(t0 + seconds{14}), lease_step::renew) << "asked again, at once";
  EXPECT_EQ(machine.renewal_length(t0 + seconds{14}), seconds{16});
}

TEST(LeaseMachine, AClaimThatIsOwedAsksForTheWholeTtlAlsoAfterAChangeOfPrimary) {
  terms how = usual();
  how.renew = false;
  lease_machine machine{how, {.fence = 1, .held = {t0, seconds{3}}, .through_queue = true}, t0};
  machine.doubt(t0 + seconds{1});
  EXPECT_EQ(machine.renewal_length(t0 + seconds{1}), seconds{30});
}

// The server may run a shorter extension whose answer never comes: then the key ends earlier than the old deadline says.
TEST(LeaseMachine, ExtendingToLessMovesTheDeadlineWhenItIsSent) {
  auto machine = make(usual());
  machine.extending(t0 + seconds{1}, seconds{3});
  EXPECT_LE(machine.deadline(), t0 + seconds{4});
  EXPECT_EQ(machine.state(t0 + seconds{2}), lease_state::VALID);
  EXPECT_EQ(machine.timer(t0 + seconds{2}), lease_step::renew) << "a third of the new ttl";
  EXPECT_EQ(machine.timer(t0 + seconds{4}), lease_step::lost);
}

TEST(LeaseMachine, ExtendingChangesWhatLaterRenewalsAskFor) {
  auto machine = make(usual());
  machine.extending(t0, seconds{90});
  EXPECT_EQ(machine.ttl(), seconds{90});
  EXPECT_EQ(machine.renewal_length(t0), seconds{90});
  EXPECT_EQ(machine.renewed(t0 + seconds{1}, {t0 + seconds{1}, seconds{90}}), lease_step::wait);
  EXPECT_EQ(machine.wake_at(), t0 + seconds{31});
}

}  // namespace
}  // namespace holdfast::lock
