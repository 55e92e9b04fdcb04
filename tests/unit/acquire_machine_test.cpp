// acquire_machine, state by state and event by event, until it has the lock: no clock, no server. How it ends without:
// acquire_machine_ends_test.cpp. Random sequences: machine_sequences_test.cpp.
#include "unit/acquire_machine_fixture.hpp"

namespace holdfast::lock {
namespace {

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

}  // namespace
}  // namespace holdfast::lock
