// acquire_machine, state by state and event by event: no clock, no server. Random sequences:
// machine_sequences_test.cpp.
#include "lock/acquire_machine.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::lock {
namespace {

using runtime::never;
using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr time_point t0{seconds{1000}};
constexpr milliseconds patience{1000};
const std::string our_holder = "host:1:0123456789abcdef0123456789abcdef";

terms waiting(bool queue = true) {
  terms how;
  how.ttl = seconds{30};
  how.stop_margin = seconds{1};
  how.queue = queue;
  return how;
}
terms limited(milliseconds wait) {
  terms how = waiting();
  how.forever = false;
  how.wait = wait;
  return how;
}
terms trying() {
  terms how = waiting();
  how.waits = false;
  return how;
}

acquire_reply granted(std::uint64_t fence) {
  acquire_reply reply;
  reply.what = acquire_reply::kind::granted;
  reply.fence = fence;
  return reply;
}
acquire_reply queued(std::uint64_t ticket, std::int64_t rank = 0, milliseconds holds = seconds{20},
                     const std::string& holder = our_holder) {
  acquire_reply reply;
  reply.what = acquire_reply::kind::queued;
  reply.ticket = ticket;
  reply.rank = rank;
  reply.holds = holds;
  reply.holder = holder;
  return reply;
}
acquire_reply held(milliseconds holds = seconds{20}) {
  acquire_reply reply;
  reply.what = acquire_reply::kind::held;
  reply.holds = holds;
  reply.holder = our_holder;
  return reply;
}

struct AcquireMachine : testing::Test {
  runtime::random_source random;
  acquire_machine make(const terms& how) { return {how, patience, random}; }
};

TEST_F(AcquireMachine, AFreshOneHasNothingDueAndNothingToLeave) {
  auto machine = make(waiting());
  EXPECT_EQ(machine.wake_at(), never);
  EXPECT_FALSE(machine.leave());
  EXPECT_FALSE(machine.asking());
}

TEST_F(AcquireMachine, AsksAtOnceAndAnAnswerGrants) {
  auto machine = make(waiting());
  EXPECT_EQ(machine.start(t0), acquire_step::ask);
  EXPECT_TRUE(machine.asking());
  EXPECT_EQ(machine.wake_at(), never) << "it may wait as long as it takes, so no timer is needed";
  const auto sent = t0 + milliseconds{3};
  ASSERT_EQ(machine.answered(t0 + milliseconds{9}, sent, granted(77)), acquire_step::done);
  ASSERT_TRUE(machine.won());
  EXPECT_EQ(machine.won()->fence, 77U);
  EXPECT_EQ(machine.won()->held.sent, sent) << "the lease counts from the sending, not from the answer";
  EXPECT_EQ(machine.won()->held.length, seconds{30});
  EXPECT_FALSE(machine.won()->through_queue);
  EXPECT_FALSE(machine.contended());
  EXPECT_FALSE(machine.leave());
  EXPECT_EQ(machine.wake_at(), never);
}

TEST_F(AcquireMachine, ADismissalEndsTheWaitAndLeavesOnlyWhenAHeartbeatIsUnderWay) {
  auto machine = make(waiting());
  machine.start(t0);
  EXPECT_EQ(machine.dismissed(t0, 5), acquire_step::wait) << "of a ticket that it does not know";
  machine.answered(t0, t0, queued(5));
  EXPECT_EQ(machine.dismissed(t0, 4), acquire_step::wait) << "of another place in the queue";
  ASSERT_EQ(machine.dismissed(t0, 5), acquire_step::done);
  EXPECT_FALSE(machine.won());
  EXPECT_EQ(machine.lost().code, errc::held);
  EXPECT_FALSE(machine.leave()) << "the server has taken it off the queue";
  EXPECT_EQ(machine.dismissed(t0, 5), acquire_step::wait);

  auto asking = make(waiting());
  asking.start(t0);
  asking.answered(t0, t0, queued(5));
  ASSERT_EQ(asking.timer(asking.wake_at()), acquire_step::ask);
  ASSERT_EQ(asking.dismissed(t0 + seconds{1}, 5), acquire_step::done);
  EXPECT_TRUE(asking.leave()) << "its heartbeat may have put it back";
}

TEST_F(AcquireMachine, ATryThatFindsItHeldNamesTheHolderAndTheTime) {
  auto machine = make(trying());
  EXPECT_EQ(machine.start(t0), acquire_step::ask);
  EXPECT_EQ(machine.wake_at(), t0 + patience);
  ASSERT_EQ(machine.answered(t0, t0, held(milliseconds{2500})), acquire_step::done);
  EXPECT_EQ(machine.lost().code, errc::held);
  EXPECT_NE(machine.lost().detail.find(our_holder), std::string::npos);
  EXPECT_NE(machine.lost().detail.find("2.5 s"), std::string::npos);
  EXPECT_FALSE(machine.leave());
}

TEST_F(AcquireMachine, AHolderWithoutExpiryIsSaidSoAndControlCharactersAreNotShown) {
  auto machine = make(trying());
  machine.start(t0);
  auto reply = held(milliseconds{-1});
  reply.holder = "a\n\x1b[31m" + std::string(500, 'x');
  ASSERT_EQ(machine.answered(t0, t0, reply), acquire_step::done);
  EXPECT_NE(machine.lost().detail.find("without expiry"), std::string::npos);
  for (const char c : machine.lost().detail) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
  EXPECT_LT(machine.lost().detail.size(), 200U);
}

TEST_F(AcquireMachine, ATryWithoutAnAnswerEndsAfterOneCommandTimeAndMustLeave) {
  auto machine = make(trying());
  machine.start(t0);
  EXPECT_EQ(machine.timer(t0 + patience - milliseconds{1}), acquire_step::wait);
  ASSERT_EQ(machine.timer(t0 + patience), acquire_step::done);
  EXPECT_EQ(machine.lost().code, errc::unreachable);
  EXPECT_EQ(machine.lost().sent, delivery::unanswered);
  EXPECT_TRUE(machine.leave());
}

TEST_F(AcquireMachine, AQueuedWaiterBeatsEveryThirdOfTheClaimWindow) {
  auto machine = make(waiting());
  machine.start(t0);
  ASSERT_EQ(machine.answered(t0, t0, queued(5, 3)), acquire_step::wait);
  EXPECT_TRUE(machine.queued());
  EXPECT_TRUE(machine.contended());
  EXPECT_EQ(machine.holder(), our_holder);
  EXPECT_GE(machine.wake_at(), t0 + milliseconds{900});
  EXPECT_LE(machine.wake_at(), t0 + milliseconds{1000});
  EXPECT_EQ(machine.timer(machine.wake_at() - milliseconds{1}), acquire_step::wait);
  EXPECT_EQ(machine.timer(machine.wake_at()), acquire_step::ask);
}

TEST_F(AcquireMachine, TheFirstLooksRightAfterTheHoldersExpiryAndTheOthersBehindIt) {
  for (int round = 0; round < 200; ++round) {
    auto first = make(waiting());
    first.start(t0);
    first.answered(t0, t0, queued(5, 0, milliseconds{100}));
    EXPECT_EQ(first.wake_at(), t0 + milliseconds{101});
    auto second = make(waiting());
    second.start(t0);
    second.answered(t0, t0, queued(6, 1, milliseconds{100}));
    EXPECT_GE(second.wake_at(), t0 + milliseconds{130});
    EXPECT_LE(second.wake_at(), t0 + milliseconds{220});
  }
}

TEST_F(AcquireMachine, TheFirstLooksOftenBehindAForeignHolder) {
  for (const auto holds : {milliseconds{20'000}, milliseconds{-1}}) {
    auto machine = make(waiting());
    machine.start(t0);
    machine.answered(t0, t0, queued(5, 0, holds, "redis-py-token"));
    EXPECT_GE(machine.wake_at(), t0 + milliseconds{25});
    EXPECT_LE(machine.wake_at(), t0 + milliseconds{75});
    auto behind = make(waiting());
    behind.start(t0);
    behind.answered(t0, t0, queued(6, 1, holds, "redis-py-token"));
    EXPECT_GE(behind.wake_at(), t0 + milliseconds{900}) << "only the first has a reason to look often";
  }
}

TEST_F(AcquireMachine, AMatchingPushGrantsFromTheLastQueuedRequest) {
  auto machine = make(waiting());
  machine.start(t0);
  const auto sent = t0 + milliseconds{1};
  machine.answered(t0 + milliseconds{2}, sent, queued(5));
  ASSERT_EQ(machine.pushed(t0 + milliseconds{500}, 5), acquire_step::done);
  ASSERT_TRUE(machine.won());
  EXPECT_EQ(machine.won()->fence, 5U) << "the ticket is the fencing number";
  EXPECT_EQ(machine.won()->held.sent, sent);
  EXPECT_EQ(machine.won()->held.length, claim_window) << "the server gives a granted waiter the claim window only";
  EXPECT_TRUE(machine.won()->through_queue);
  EXPECT_TRUE(machine.won()->by_push);
}

TEST_F(AcquireMachine, APushCarriesNoFenceForWhoWantedNone) {
  terms how = waiting();
  how.fence = false;
  auto machine = make(how);
  machine.start(t0);
  machine.answered(t0, t0, queued(5));
  ASSERT_EQ(machine.pushed(t0, 5), acquire_step::done);
  EXPECT_EQ(machine.won()->fence, 0U);
}

TEST_F(AcquireMachine, APushWithLittleLeftOfTheClaimWindowAsksTheServer) {
  auto machine = make(waiting());
  machine.start(t0);
  machine.answered(t0, t0, queued(5));
  EXPECT_EQ(machine.pushed(t0 + milliseconds{2900}, 5), acquire_step::ask);
  EXPECT_FALSE(machine.won());
  ASSERT_EQ(machine.answered(t0 + milliseconds{2901}, t0 + milliseconds{2900}, granted(100)), acquire_step::done);
  EXPECT_TRUE(machine.won()->by_push);
}

TEST_F(AcquireMachine, APushWithAnotherTicketAsksTheServer) {
  auto machine = make(waiting());
  machine.start(t0);
  machine.answered(t0, t0, queued(5));
  EXPECT_EQ(machine.pushed(t0, 4), acquire_step::ask);
  EXPECT_EQ(machine.pushed(t0, 4), acquire_step::wait) << "a question is on its way already";
  EXPECT_FALSE(machine.won());
}

TEST_F(AcquireMachine, APushDuringAHeartbeatEndsTheWait) {
  auto machine = make(waiting());
  machine.start(t0);
  machine.answered(t0, t0, queued(5));
  ASSERT_EQ(machine.timer(machine.wake_at()), acquire_step::ask);
  EXPECT_EQ(machine.pushed(t0 + milliseconds{1001}, 5), acquire_step::done);
  EXPECT_EQ(machine.pushed(t0 + milliseconds{1002}, 5), acquire_step::wait) << "done once is done";
}

TEST_F(AcquireMachine, AShortTtlShortensClaimAndHeartbeat) {
  terms how = waiting();
  how.ttl = milliseconds{300};
  how.stop_margin = milliseconds{30};
  EXPECT_EQ(acquire_machine::claim(how.ttl), milliseconds{300});
  auto machine = make(how);
  machine.start(t0);
  machine.answered(t0, t0, queued(5, 2, seconds{20}));
  EXPECT_LE(machine.wake_at(), t0 + milliseconds{100});
}

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
