// Signals: passed on to the whole group, ending a wait, and left to the child as we found them.
#include <signal.h>

#include <sstream>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunSignals : public run_test {
 protected:
  // How often the witness, or its child, has recorded that signal.
  [[nodiscard]] long count(const std::string& who, const std::string& name) const {
    std::istringstream all{recorded()};
    long found = 0;
    for (std::string line; std::getline(all, line);) found += line == who + " " + name ? 1 : 0;
    return found;
  }
};

TEST_F(RunSignals, AreAllPassedOnToTheChildAndTheGrandchild) {
  const auto running = start_witness({"job"}, "signals");
  struct one {
    int number;
    std::string name;
  };
  for (const one& each : std::initializer_list<one>{{SIGINT, "INT"},
                                                    {SIGTERM, "TERM"},
                                                    {SIGHUP, "HUP"},
                                                    {SIGQUIT, "QUIT"},
                                                    {SIGUSR1, "USR1"},
                                                    {SIGUSR2, "USR2"},
                                                    {SIGWINCH, "WINCH"},
                                                    {SIGTSTP, "TSTP"},
                                                    {SIGCONT, "CONT"}}) {
    running->running().signal(each.number);
    EXPECT_TRUE(eventually(10s, [&] { return count("child", each.name) > 0 && count("grandchild", each.name) > 0; }))
        << each.name << " in:\n"
        << recorded();
  }
  const outcome seen = running->finish();
  EXPECT_EQ(seen.code(), 0) << seen.err;
}

TEST_F(RunSignals, ReachTheChildOnce) {
  const auto running = start_witness({"job"}, "signals");
  running->running().signal(SIGUSR1);
  ASSERT_TRUE(eventually(10s, [&] { return count("child", "USR1") > 0 && count("grandchild", "USR1") > 0; }));
  running->running().signal(SIGUSR2);
  ASSERT_TRUE(eventually(10s, [&] { return count("child", "USR2") > 0 && count("grandchild", "USR2") > 0; }));
  EXPECT_EQ(running->finish().code(), 0);
  EXPECT_EQ(count("child", "USR1"), 1) << recorded();
  EXPECT_EQ(count("grandchild", "USR1"), 1) << recorded();
}

TEST_F(RunSignals, EndTheWaitAndLeaveTheQueue) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    redis_.text({"SET", "job", "somebody", "PX", "60000"});
    auto waiting = start({"job", "--", "echo", "ran"});
    ASSERT_TRUE(eventually(10s, [&] { return redis_.number({"ZCARD", "{job}:waiters"}) == 1; }));
    waiting.running().signal(number);
    const outcome seen = waiting.finish();
    EXPECT_EQ(seen.code(), 128 + number);
    EXPECT_EQ(seen.out, "");
    EXPECT_NE(seen.err.find("ended the wait for job"), std::string::npos) << seen.err;
    EXPECT_TRUE(eventually(5s, [&] { return redis_.number({"ZCARD", "{job}:waiters"}) == 0; }));
  }
}

TEST_F(RunSignals, EndAWaitForARedisThatDoesNotAnswer) {
  redis_.pause();
  auto waiting = start({"job", "--", "true"});
  std::this_thread::sleep_for(300ms);  // let it come to the wait
  waiting.running().signal(SIGTERM);
  const outcome seen = waiting.finish();
  redis_.resume();
  EXPECT_EQ(seen.code(), 143) << seen.err;
  EXPECT_LT(seen.took, 3s);
}

TEST_F(RunSignals, OtherThanThoseDoNotDisturbAWait) {
  redis_.text({"SET", "job", "somebody", "PX", "60000"});
  auto waiting = start({"job", "--", "echo", "ran"});
  ASSERT_TRUE(eventually(10s, [&] { return redis_.number({"ZCARD", "{job}:waiters"}) == 1; }));
  for (const int number : {SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT}) waiting.running().signal(number);
  redis_.number({"DEL", "job"});
  EXPECT_EQ(waiting.finish().out, "ran\n");
}

// What the command finds: mask and ignored signals as without us.
TEST_F(RunSignals, OfTheChildAreAsWeFoundThem) {
  const auto state = [&](const std::string& before, bool with_us) {
    const std::string command =
        with_us ? program + " run job -- grep Sig /proc/self/status" : "grep Sig /proc/self/status";
    process shell{{"/bin/bash", "-c", before + command}, {.environment = variables()}};
    shell.close_input();
    std::string all = shell.read_rest(20s);
    all.erase(0, all.find("SigPnd"));  // SigQ counts the user's signals
    return all;
  };
  EXPECT_EQ(state("", true), state("", false));
  EXPECT_EQ(state("trap '' HUP PIPE CHLD INT; ", true), state("trap '' HUP PIPE CHLD INT; ", false));
}

TEST_F(RunSignals, ThatWereIgnoredStayIgnored) {
  process shell{
      {"/bin/bash", "-c", "trap '' HUP; exec " + program + " run job -- sh -c 'echo started; sleep 0.5; echo done'"},
      {.environment = variables()}};
  ASSERT_EQ(shell.read_line(20s), "started");
  shell.signal(SIGHUP);
  EXPECT_EQ(shell.read_rest(20s), "done\n");
  EXPECT_EQ(shell.wait(5s)->code, 0);
}

// With SIGCHLD ignored the kernel reaps children by itself, and their exit codes are lost.
TEST_F(RunSignals, IgnoredSigchldDoesNotCostTheExitCode) {
  process shell{{"/bin/bash", "-c", "trap '' CHLD; exec " + program + " run job -- sh -c 'exit 7'"},
                {.environment = variables()}};
  EXPECT_EQ(shell.wait(20s)->code, 7);
}

TEST_F(RunSignals, EndTheMinimumHoldButNotItsExitCode) {
  auto running = start({"--min-hold", "60s", "job", "--", "sh", "-c", "echo started; exit 5"});
  ASSERT_TRUE(running.running().read_line(20s));
  ASSERT_TRUE(eventually(10s, [&] { return children_of(running.running().pid()).empty(); }));
  EXPECT_EQ(redis_.number({"EXISTS", "job"}), 1);
  running.running().signal(SIGTERM);
  EXPECT_EQ(running.finish().code(), 5);
  EXPECT_EQ(redis_.number({"EXISTS", "job"}), 0);
}

}  // namespace
}  // namespace holdfast::test
