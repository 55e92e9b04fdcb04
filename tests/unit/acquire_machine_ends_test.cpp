// acquire_machine when it is not simply granted: broken links, limits, refusals, cancellation, and what it must leave then.
#include "unit/acquire_machine_fixture.hpp"

namespace holdfast::lock {
namespace {

TEST_F(AcquireMachine, ABrokenLinkAsksAgainAndALostAnswerMustBeLeft) {
  auto machine = make(waiting());
  machine.start(t0);
  EXPECT_EQ(machine.interrupted(t0, delivery::not_sent), acquire_step::ask);
  EXPECT_FALSE(machine.leave());
  EXPECT_EQ(machine.interrupted(t0, delivery::unanswered), acquire_step::ask);
  EXPECT_TRUE(machine.leave()) << "the server may have run it";
  EXPECT_EQ(machine.answered(t0, t0, granted(3)), acquire_step::done);
  EXPECT_FALSE(machine.leave()) << "what was won is released by its holder";
}

TEST_F(AcquireMachine, TheWaitLimitEndsABrokenLinkToo) {
  auto machine = make(limited(milliseconds{500}));
  machine.start(t0);
  EXPECT_EQ(machine.interrupted(t0 + milliseconds{500}, delivery::unanswered), acquire_step::done);
  EXPECT_EQ(machine.lost().code, errc::unreachable);
  EXPECT_TRUE(machine.leave());
  EXPECT_EQ(machine.interrupted(t0 + milliseconds{501}, delivery::unanswered), acquire_step::wait);
}

TEST_F(AcquireMachine, AReconnectAsksForQueuedAndPausingOnly) {
  auto machine = make(waiting());
  machine.start(t0);
  EXPECT_EQ(machine.reconnected(t0), acquire_step::wait) << "the question is being sent anyway";
  machine.answered(t0, t0, queued(5));
  EXPECT_EQ(machine.reconnected(t0), acquire_step::ask);
  auto unqueued = make(waiting(false));
  unqueued.start(t0);
  unqueued.answered(t0, t0, held());
  EXPECT_EQ(unqueued.reconnected(t0), acquire_step::ask);
}

TEST_F(AcquireMachine, WithoutTheQueueItPausesBetweenFirstAndThreeTimesTheLastPause) {
  terms how = waiting(false);
  how.retry = {milliseconds{20}, milliseconds{200}};
  auto machine = make(how);
  machine.start(t0);
  auto now = t0;
  runtime::duration last{};
  bool grew = false;
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(machine.answered(now, now, held()), acquire_step::wait);
    EXPECT_FALSE(machine.queued());
    const auto pause = machine.wake_at() - now;
    EXPECT_GE(pause, milliseconds{20});
    EXPECT_LE(pause, milliseconds{200});
    EXPECT_LE(pause, std::max<runtime::duration>(milliseconds{20}, last * 3));
    grew = grew || pause > milliseconds{60};
    last = pause;
    now = machine.wake_at();
    ASSERT_EQ(machine.timer(now), acquire_step::ask);
  }
  EXPECT_TRUE(grew) << "the pauses back off";
}

TEST_F(AcquireMachine, TheWaitLimitEndsQueueAndPauseAsTimedOut) {
  auto machine = make(limited(milliseconds{500}));
  machine.start(t0);
  machine.answered(t0, t0, queued(5));
  EXPECT_EQ(machine.wake_at(), t0 + milliseconds{500}) << "the limit comes before the heartbeat";
  ASSERT_EQ(machine.timer(t0 + milliseconds{500}), acquire_step::done);
  EXPECT_EQ(machine.lost().code, errc::timed_out);
  EXPECT_NE(machine.lost().detail.find(our_holder), std::string::npos);
  EXPECT_TRUE(machine.leave()) << "it stands in the queue";
  EXPECT_EQ(machine.timer(t0 + seconds{9}), acquire_step::wait);
}

TEST_F(AcquireMachine, AnAnswerAfterTheLimitIsTimedOut) {
  auto machine = make(limited(milliseconds{500}));
  machine.start(t0);
  ASSERT_EQ(machine.answered(t0 + milliseconds{500}, t0, queued(5)), acquire_step::done);
  EXPECT_EQ(machine.lost().code, errc::timed_out);
  EXPECT_TRUE(machine.leave());
}

TEST_F(AcquireMachine, AGrantAfterTheLimitIsStillAGrant) {
  auto machine = make(limited(milliseconds{500}));
  machine.start(t0);
  ASSERT_EQ(machine.answered(t0 + milliseconds{600}, t0, granted(1)), acquire_step::done);
  EXPECT_TRUE(machine.won());
}

TEST_F(AcquireMachine, APassingRefusalIsWaitedOutAndToldAtTheLimit) {
  auto machine = make(limited(milliseconds{500}));
  machine.start(t0);
  ASSERT_EQ(machine.refused(t0, {errc::server_busy, "LOADING"}), acquire_step::wait);
  EXPECT_LE(machine.wake_at(), t0 + milliseconds{500});
  ASSERT_EQ(machine.timer(t0 + milliseconds{500}), acquire_step::done);
  EXPECT_EQ(machine.lost().code, errc::server_busy);
}

TEST_F(AcquireMachine, AnAnswerWipesAnEarlierPassingRefusal) {
  auto machine = make(limited(milliseconds{500}));
  machine.start(t0);
  machine.refused(t0, {errc::server_busy, "LOADING"});
  machine.timer(machine.wake_at());
  machine.answered(t0 + milliseconds{400}, t0 + milliseconds{399}, queued(5));
  ASSERT_EQ(machine.timer(t0 + milliseconds{500}), acquire_step::done);
  EXPECT_EQ(machine.lost().code, errc::timed_out);
}

TEST_F(AcquireMachine, OtherRefusalsEndAtOnceAndATryDoesNotWaitOutAny) {
  for (const errc code :
       {errc::refused, errc::read_only, errc::out_of_memory, errc::wrong_type, errc::protocol, errc::unreachable}) {
    auto machine = make(waiting());
    machine.start(t0);
    ASSERT_EQ(machine.refused(t0, {code, "no"}), acquire_step::done) << to_string(code);
    EXPECT_EQ(machine.lost().code, code);
  }
  auto machine = make(trying());
  machine.start(t0);
  ASSERT_EQ(machine.refused(t0, {errc::server_busy, "LOADING"}), acquire_step::done);
}

TEST_F(AcquireMachine, ARefusalThatTheServerMayHaveActedOnMustBeLeft) {
  auto broken = make(waiting());
  broken.start(t0);
  broken.refused(t0, {errc::protocol, "not RESP", delivery::unanswered});
  EXPECT_TRUE(broken.leave()) << "the script may have run before the garbage came";
  auto refused = make(waiting());
  refused.start(t0);
  refused.refused(t0, {errc::out_of_memory, "OOM"});
  EXPECT_FALSE(refused.leave()) << "the server said no: nothing to undo";
}

TEST_F(AcquireMachine, AHeldAnswerAfterAQueuedOneStillHasToLeaveTheQueue) {
  auto machine = make(limited(milliseconds{500}));
  machine.start(t0);
  machine.answered(t0, t0, queued(5));
  machine.reconnected(t0);
  machine.answered(t0, t0, held());  // this link has no inbox, so it did not queue again
  machine.timer(t0 + milliseconds{500});
  EXPECT_TRUE(machine.leave());
}

TEST_F(AcquireMachine, CancellingAsksForAReleaseWhereTheServerMayKnowUs) {
  const failure stop{errc::cancelled, "stopped"};
  auto asking = make(waiting());
  asking.start(t0);
  ASSERT_EQ(asking.cancel(stop), acquire_step::done);
  EXPECT_EQ(asking.lost().code, errc::cancelled);
  EXPECT_TRUE(asking.leave());
  EXPECT_EQ(asking.cancel(stop), acquire_step::wait);

  auto in_queue = make(waiting());
  in_queue.start(t0);
  in_queue.answered(t0, t0, queued(5));
  in_queue.cancel(stop);
  EXPECT_TRUE(in_queue.leave());

  auto pausing = make(waiting(false));
  pausing.start(t0);
  pausing.answered(t0, t0, held());
  pausing.cancel(stop);
  EXPECT_FALSE(pausing.leave()) << "it owns nothing and stands nowhere";
}

TEST_F(AcquireMachine, AnUnconfirmedLockIsAskedForAgainByThoseWhoMayWait) {
  auto waiter = make(waiting());
  waiter.start(t0);
  waiter.answered(t0, t0, granted(7));
  const failure gone{errc::lost, "gone"};
  EXPECT_EQ(waiter.unconfirmed(t0, gone, true), acquire_step::wait);
  EXPECT_FALSE(waiter.won());
  ASSERT_LT(waiter.wake_at(), t0 + seconds{1});
  EXPECT_EQ(waiter.timer(waiter.wake_at()), acquire_step::ask);
  EXPECT_EQ(waiter.answered(t0 + seconds{1}, t0 + seconds{1}, granted(8)), acquire_step::done);
  ASSERT_TRUE(waiter.won());
  EXPECT_EQ(waiter.won()->fence, 8U);
}

TEST_F(AcquireMachine, AnUnconfirmedLockEndsATryAndWhatDoesNotPassAndTheLimit) {
  struct {
    terms how;
    time_point then;
    bool passes;
  } const cases[] = {{trying(), t0, true}, {waiting(), t0, false}, {limited(seconds{1}), t0 + seconds{1}, true}};
  for (const auto& [how, then, passes] : cases) {
    auto machine = make(how);
    machine.start(t0);
    machine.answered(t0, t0, granted(7));
    EXPECT_EQ(machine.unconfirmed(then, {errc::not_replicated, "too few"}, passes), acquire_step::done);
    EXPECT_FALSE(machine.won());
    EXPECT_EQ(machine.lost().code, errc::not_replicated);
    EXPECT_TRUE(machine.leave()) << "it is given back";
  }
}

}  // namespace
}  // namespace holdfast::lock
