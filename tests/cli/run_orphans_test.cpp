// Nothing of the command outlives a wrapper that was killed.
#include <signal.h>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunOrphans : public run_test {};

TEST_F(RunOrphans, ChildAndGrandchildDieWithTheWrapper) {
  const auto running = start_witness({"job"}, "stamp");
  running->running().kill();
  EXPECT_EQ(running->running().wait(10s)->signal, SIGKILL);
  EXPECT_TRUE(eventually(10s, [&] { return both_are_dead(); }));
}

TEST_F(RunOrphans, AlsoUnderAShell) {
  command running{{"run", "job", "-c", witness + " stamp " + record() + "; echo never"}, variables()};
  ASSERT_EQ(running.running().read_line(20s), "ready");
  running.running().kill();
  EXPECT_TRUE(eventually(10s, [&] { return both_are_dead(); }));
  EXPECT_EQ(running.finish().out, "");
}

TEST_F(RunOrphans, AlsoIfTheChildHasGoneBefore) {
  // The shell ends by TERM; the witness, which ignores it, is a child of nobody but in the group.
  command running{{"run", "--min-hold", "1s", "job", "--", "sh", "-c", witness + " stamp " + record() + " & wait"},
                  variables()};
  ASSERT_EQ(running.running().read_line(20s), "ready");
  running.running().kill();
  EXPECT_TRUE(eventually(10s, [&] { return both_are_dead(); }));
}

TEST_F(RunOrphans, AlsoWhileTheyAreStopped) {
  const auto running = start_witness({"job"}, "stamp");
  pid_t child = 0;
  for (const pid_t each : children_of(running->running().pid(), "witness")) child = each;
  ASSERT_GT(child, 0);
  ::kill(-child, SIGSTOP);
  running->running().kill();
  EXPECT_TRUE(eventually(10s, [&] { return !is_alive(child); }));
}

TEST_F(RunOrphans, TheGuardGoesWithTheWrapper) {
  command running{{"run", "job", "--", "sh", "-c", "echo started; read line"}, variables()};
  ASSERT_TRUE(running.running().read_line(20s));
  std::vector<pid_t> guards;
  ASSERT_TRUE(
      eventually(10s, [&] { return (guards = children_of(running.running().pid(), "holdfast-guard")).size() == 1; }));
  EXPECT_EQ(running.finish().code(), 1);
  EXPECT_FALSE(is_alive(guards[0]));
}

// A wrapper that is killed at any moment of its start leaves nothing behind.
TEST_F(RunOrphans, NeitherAtTheMomentOfStarting) {
  for (int i = 0; i < 25; ++i) {
    const std::string mark = dir_.file("mark" + std::to_string(i));
    command running{
        {"run", "--ttl", "500ms", "job", "--", "sh", "-c", "while :; do date +%s%N >" + mark + "; sleep 0.01; done"},
        variables()};
    std::this_thread::sleep_for(std::chrono::microseconds{400 * i});
    running.running().kill();
    static_cast<void>(running.running().wait(10s));
    std::this_thread::sleep_for(30ms);
    const std::string before = contents(mark);
    std::this_thread::sleep_for(60ms);
    EXPECT_EQ(contents(mark), before) << "still running, killed after " << 400 * i << " us";
  }
}

// What the command left in the background on purpose goes on after a normal end, as without us.
TEST_F(RunOrphans, ANormalEndKillsNobody) {
  const outcome seen =
      run({"job", "--", "sh", "-c", "(sleep 0.3; echo late >" + dir_.file("late") + ") >/dev/null 2>&1 & exit 0"});
  EXPECT_EQ(seen.code(), 0);
  EXPECT_TRUE(eventually(10s, [&] { return contents(dir_.file("late")) == "late\n"; }));
}

}  // namespace
}  // namespace holdfast::test
