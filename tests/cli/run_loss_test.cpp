// The lock is lost while the command runs: the exit code is 79, and the command is dead in time.
//
// The witness ignores TERM and stamps the time every millisecond, as does a child of its own; so the stamps show when the
// group was really dead, and PEXPIRETIME when the server would have given the lock to another.
#include <signal.h>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunLoss : public run_test {
 protected:
  // Its line names the lock and this reason, and the code is 79.
  static void expect_lost(const outcome& seen, const std::string& why) {
    EXPECT_EQ(seen.code(), 79) << seen.err;
    EXPECT_NE(seen.err.find("job was lost while the command ran: " + why), std::string::npos) << seen.err;
    EXPECT_EQ(seen.err.find('\n'), seen.err.size() - 1) << "one line: " << seen.err;
  }
};

TEST_F(RunLoss, RedisStops) {
  const auto running = start_witness({"--ttl", "3s", "job"}, "stamp");
  const std::int64_t end = fresh_expiry("job");
  redis_.pause();
  const outcome seen = running->finish();
  redis_.resume();
  expect_lost(seen, "its time ran out");
  EXPECT_TRUE(both_are_dead());
  EXPECT_LT(last_stamp(), end) << "the command outlived the lease";
}

TEST_F(RunLoss, RedisIsKilled) {
  const auto running = start_witness({"--ttl", "3s", "job"}, "stamp");
  const std::int64_t end = fresh_expiry("job");
  redis_.kill();
  expect_lost(running->finish(), "its time ran out");
  EXPECT_TRUE(both_are_dead());
  EXPECT_LT(last_stamp(), end);
}

TEST_F(RunLoss, TheNetworkGoesAway) {
  gate network{redis_.port()};
  const auto running = start_witness({"--ttl", "3s", "--url", network.url(), "job"}, "stamp");
  network.set(fault::black_hole(direction::both));
  const std::int64_t end = expiry("job");
  const outcome seen = running->finish();
  // The server lives, and still has the lock: nobody can have got it.
  EXPECT_GT(redis_.number({"PTTL", "job"}), 0) << "seen too late";
  expect_lost(seen, "its time ran out");
  EXPECT_TRUE(both_are_dead());
  EXPECT_LT(last_stamp(), end);
}

TEST_F(RunLoss, TheKeyIsDeleted) {
  const auto running = start_witness({"--ttl", "1s", "job"}, "stamp");
  redis_.number({"DEL", "job"});
  expect_lost(running->finish(), "the server no longer has it");
  EXPECT_TRUE(both_are_dead());
}

TEST_F(RunLoss, EverythingIsFlushed) {
  const auto running = start_witness({"--ttl", "1s", "job"}, "stamp");
  redis_.text({"FLUSHALL"});
  expect_lost(running->finish(), "the server no longer has it");
  EXPECT_TRUE(both_are_dead());
}

TEST_F(RunLoss, AnotherHasTakenIt) {
  const auto running = start_witness({"--ttl", "1s", "job"}, "stamp");
  redis_.text({"SET", "job", "another", "PX", "60000"});
  expect_lost(running->finish(), "another has taken it");
  EXPECT_TRUE(both_are_dead());
  EXPECT_EQ(redis_.text({"GET", "job"}), "another") << "another's lock must not be released";
}

// With this ttl the next renewal is 20 s away: only the message can have told.
TEST_F(RunLoss, AnOperatorBreaksIt) {
  const auto running = start_witness({"--ttl", "60s", "job"}, "stamp");
  const outcome broken = holdfast_run({"break", "job", "--yes"}, {{"HOLDFAST_URL", redis_.url()}});
  EXPECT_EQ(broken.code(), 0) << broken.err;
  const outcome ended = running->finish();
  expect_lost(ended, "somebody broke it");
  EXPECT_LT(ended.took, 15s);
  EXPECT_TRUE(both_are_dead());
}

// The child ends well before a renewal would have told; the release does.
TEST_F(RunLoss, IsToldEvenIfOnlyTheReleaseFindsOut) {
  auto running = start({"--ttl", "60s", "job", "--", "sh", "-c", "echo started; read line; exit 0"});
  ASSERT_TRUE(running.running().read_line(20s));
  redis_.number({"DEL", "job"});
  expect_lost(running.finish(), "the server no longer has it");
}

// The guard sees to it while the wrapper cannot.
TEST_F(RunLoss, TheWrapperIsStopped) {
  const auto running = start_witness({"--ttl", "2s", "job"}, "stamp");
  running->running().pause();
  const std::int64_t end = expiry("job");
  EXPECT_TRUE(eventually(20s, [&] { return redis_.number({"EXISTS", "job"}) == 0; }));
  EXPECT_TRUE(both_are_dead());
  EXPECT_LT(last_stamp(), end);
  EXPECT_EQ(run({"-n", "job", "--", "true"}).code(), 0) << "now it is the next one's";
  running->running().resume();
  expect_lost(running->finish(), "its time ran out");
}

// And where the guard is gone too, it is the first thing that the wrapper does.
TEST_F(RunLoss, TheWrapperIsStoppedAndTheGuardIsGone) {
  const auto running = start_witness({"--ttl", "2s", "job"}, "stamp");
  std::vector<pid_t> guards;
  ASSERT_TRUE(
      eventually(10s, [&] { return (guards = children_of(running->running().pid(), "holdfast-guard")).size() == 1; }));
  ::kill(guards[0], SIGKILL);
  running->running().pause();
  EXPECT_TRUE(eventually(20s, [&] { return redis_.number({"EXISTS", "job"}) == 0; }));
  EXPECT_FALSE(both_are_dead()) << "nobody was there to stop it: the test proves nothing";
  running->running().resume();
  const std::int64_t resumed = wall_clock_ns();
  expect_lost(running->finish(), "its time ran out");
  EXPECT_TRUE(both_are_dead());
  EXPECT_LT(last_stamp() - resumed, 1'000'000'000) << "no grace is left";
}

TEST_F(RunLoss, OfMaxHoldComesInTime) {
  const auto running = start_witness({"--max-hold", "2s", "job"}, "stamp");
  const std::int64_t end = expiry("job");
  expect_lost(running->finish(), "--max-hold is over");
  EXPECT_LT(last_stamp(), end);
}

TEST_F(RunLoss, WithoutRenewalTheLeaseEndsAfterTheTtl) {
  const auto running = start_witness({"--no-renew", "--ttl", "1s", "job"}, "stamp");
  const std::int64_t end = expiry("job");
  expect_lost(running->finish(), "its time ran out");
  EXPECT_LT(last_stamp(), end);
}

TEST_F(RunLoss, RenewalKeepsItForMuchLongerThanTheTtl) {
  const outcome seen = run({"--ttl", "300ms", "job", "--", "sleep", "1.5"});
  EXPECT_EQ(seen.code(), 0) << seen.err;
}

// The grace: the command has it to end by itself, with the signal that was asked for.
TEST_F(RunLoss, GivesTheCommandASignalAndTimeToEnd) {
  struct way {
    std::string option;
    std::string trap;
  };
  for (const way& each : {way{"--on-lost=kill", "TERM"}, way{"--on-lost=signal:USR1", "USR1"}}) {
    const outcome seen = run({"--max-hold", "2s", "--grace", "700ms", each.option, "job", "--", "sh", "-c",
                              "exec 2>/dev/null; trap 'echo " + each.trap + "; sleep 0.1; echo cleaned up; exit 0' " +
                                  each.trap + "; while :; do sleep 0.02; done"});
    expect_lost(seen, "--max-hold is over; it was stopped with " + each.trap);
    EXPECT_EQ(seen.out, each.trap + "\ncleaned up\n");
  }
}

// A shell that dies of TERM at once must not cost the command that it had started its grace.
TEST_F(RunLoss, GivesTheGraceToTheWholeGroup) {
  const outcome seen =
      run({"--max-hold", "2s", "--grace", "700ms", "job", "--", "sh", "-c",
           "exec 2>/dev/null; sh -c 'trap \"sleep 0.2; echo cleaned up; exit\" TERM; while :; do sleep 0.02; done' & "
           "while :; do sleep 0.02; done"});
  expect_lost(seen, "--max-hold is over; it was stopped with TERM");
  EXPECT_EQ(seen.out, "cleaned up\n");
}

TEST_F(RunLoss, GraceIsHowLongACommandThatDoesNotListenLives) {
  const auto loss_to_end = [&](const std::string& grace) {
    // HOLDFAST_LOST_FD ends at the loss: `cat` tells when.
    const outcome seen = run({"--max-hold", "2s", "--grace", grace, "job", "--", "sh", "-c",
                              "trap '' TERM; cat <&$HOLDFAST_LOST_FD; date +%s%N; while :; do sleep 0.01; done"});
    expect_lost(seen, "--max-hold is over; it was killed");
    return (wall_clock_ns() - std::stoll(seen.out)) / 1'000'000;
  };
  EXPECT_LT(loss_to_end("50ms"), 400);
  EXPECT_GE(loss_to_end("700ms"), 600);
}

TEST_F(RunLoss, IsIgnoredOnRequestButStillTold) {
  const outcome seen = run(
      {"--on-lost=ignore", "--no-renew", "--ttl", "500ms", "job", "--", "sh", "-c", "sleep 1; echo went on; exit 0"});
  expect_lost(seen, "its time ran out without a renewal; it was let go on");
  EXPECT_EQ(seen.out, "went on\n");
}

TEST_F(RunLoss, MakesTheDescriptorReadable) {
  const outcome seen = run({"--on-lost=ignore", "--no-renew", "--ttl", "500ms", "job", "--", "sh", "-c",
                            "cat <&$HOLDFAST_LOST_FD; echo told"});
  EXPECT_EQ(seen.code(), 79);
  EXPECT_EQ(seen.out, "told\n");
}

TEST_F(RunLoss, IsAnObjectWithTheCauseInJson) {
  const outcome seen = run({"--json", "--no-renew", "--ttl", "500ms", "job", "--", "sleep", "20"});
  EXPECT_EQ(seen.code(), 79);
  EXPECT_NE(seen.err.find(R"("reason": "lost", "exit_code": 79)"), std::string::npos) << seen.err;
  EXPECT_NE(seen.err.find(R"("cause": "expired")"), std::string::npos) << seen.err;
}

// A short interruption is no loss.
TEST_F(RunLoss, DoesNotComeFromARestartThatKeepsTheData) {
  redis_server kept{{.appendonly = true}};
  auto running = command{{"run", "--ttl", "6s", "job", "--", "sh", "-c", "echo started; read line"},
                         {{"HOLDFAST_URL", kept.url()}}};
  ASSERT_TRUE(running.running().read_line(20s));
  kept.restart();
  std::this_thread::sleep_for(2500ms);  // over a renewal
  EXPECT_EQ(running.finish().code(), 1) << "`read` ends with 1 at the end of its input";
}

}  // namespace
}  // namespace holdfast::test
