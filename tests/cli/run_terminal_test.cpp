// On a terminal, under a shell with job control: the command has it as without us.
#include <signal.h>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"
#include "support/pseudo_terminal.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunTerminal : public run_test {
 protected:
  RunTerminal() { EXPECT_TRUE(shell_.shows("ready> ")) << shell_.screen(); }

  // Types a line for the shell; $H is the command.
  void line(const std::string& text) { shell_.type(text + "\n"); }

  pseudo_terminal shell_{{"/bin/bash", "--norc", "--noprofile", "-i"},
                         {{"HOLDFAST_URL", redis_.url()}, {"PS1", "ready> "}, {"TERM", "dumb"}, {"H", program}}};
};

#define SHOWS(text) ASSERT_TRUE(shell_.shows(text)) << "waiting for " << (text) << " in:\n" << shell_.screen()

TEST_F(RunTerminal, TheCommandReadsFromIt) {
  line("$H run job -- sh -c 'echo ask''ing; read x; echo got:$x'");
  SHOWS("asking");
  line("hello");
  SHOWS("got:hello");
  line("echo code=$?");
  SHOWS("code=0");
}

TEST_F(RunTerminal, InterruptEndsTheCommandAndTheShellHasItBack) {
  // Not sh: dash misses an interrupt that comes between two of its commands, with or without us.
  line("$H run job -- bash -c 'echo start''ed; sleep 100; true'");
  SHOWS("started");
  shell_.type("\x03");
  line("echo code=$?");
  SHOWS("code=130");
  EXPECT_EQ(redis_.number({"EXISTS", "job"}), 0);
}

TEST_F(RunTerminal, InterruptEndsTheWait) {
  redis_.text({"SET", "job", "somebody", "PX", "60000"});
  line("$H run job -- true");
  ASSERT_TRUE(eventually(10s, [&] { return redis_.number({"ZCARD", "{job}:waiters"}) == 1; }));
  shell_.type("\x03");
  SHOWS("signal INT ended the wait for job");
  line("echo code=$?");
  SHOWS("code=130");
}

TEST_F(RunTerminal, SuspendAndForeground) {
  line("$H run job -- sh -c 'echo start''ed; while read x; do echo got:$x; done'");
  SHOWS("started");
  line("one");
  SHOWS("got:one");
  shell_.type("\x1a");
  SHOWS("Stopped");
  SHOWS("ready> ");
  line("echo shell''-lives");
  SHOWS("shell-lives");
  line("fg");
  SHOWS("$H run job");
  line("two");
  SHOWS("got:two");
  shell_.type("\x1a");
  SHOWS("Stopped");
  line("bg; sleep 0.3; echo in-the-back''ground");  // it reads, so it is stopped again
  SHOWS("in-the-background");
  line("fg");
  line("three");
  SHOWS("got:three");
  shell_.type("\x04");
  SHOWS("ready> ");
  line("echo code=$?");
  SHOWS("code=0");
}

TEST_F(RunTerminal, SuspendedForLongerThanTheTtlTheLockIsLost) {
  line("$H run --ttl 1s job -- sh -c 'echo start''ed; exec sleep 100'");
  SHOWS("started");
  shell_.type("\x1a");
  SHOWS("Stopped");
  ASSERT_TRUE(eventually(10s, [&] { return redis_.number({"EXISTS", "job"}) == 0; }));
  line("fg");
  SHOWS("job was lost while the command ran");
  line("echo code=$?");
  SHOWS("code=79");
}

TEST_F(RunTerminal, WindowSizesReachTheCommand) {
  line("$H run job -- sh -c 'trap \"stty size\" WINCH; echo start''ed; while :; do sleep 0.05; done'");
  SHOWS("started");
  shell_.resize(33, 99);
  SHOWS("33 99");
  shell_.type("\x03");
}

TEST_F(RunTerminal, AShellRunsUnderIt) {
  line("$H run job -- bash --norc --noprofile -i");
  SHOWS("ready> ");
  line("sleep 100");
  std::this_thread::sleep_for(200ms);
  shell_.type("\x1a");
  SHOWS("Stopped");
  line("echo inner:$HOLDFAST_NAME");
  SHOWS("inner:job");
  line("kill -KILL %1; wait; suspend");
  SHOWS("Stopped");
  line("echo outer:$HOLDFAST_NAME.");
  SHOWS("outer:.");
  line("fg");
  line("exit 6");
  SHOWS("ready> ");
  line("echo code=$?");
  SHOWS("code=6");
}

// The pager reads the terminal while the command runs; a command that wants it all the same gets it.
TEST_F(RunTerminal, InAPipelineWhoeverReadsItHasIt) {
  line("$H run job -- sh -c 'echo data; sleep 0.5' | sh -c 'cat >/dev/null & read x </dev/tty; echo pager:$x'");
  line("page");
  SHOWS("pager:page");
  SHOWS("ready> ");
  line("$H run job -- sh -c 'read x </dev/tty; echo child:$x' | cat");
  line("word");
  SHOWS("child:word");
  line("echo code=${PIPESTATUS[0]}");
  SHOWS("code=0");
}

TEST_F(RunTerminal, HasItsModesBackAfterACommandThatWasKilled) {
  line("$H run --max-hold 1s job -- sh -c 'stty raw -echo; trap \"\" TERM; while :; do sleep 0.1; done'");
  SHOWS("job was lost");
  line("stty -a | tr ' ;' '\\n\\n' | grep icanon | sed s/^/mode:/");
  SHOWS("mode:icanon");
}

TEST_F(RunTerminal, ClosingItEndsTheCommand) {
  line("$H run job -- sh -c 'echo pi''d:$$.; sleep 100; sleep 100'");
  SHOWS("pid:");
  const std::size_t begin = shell_.screen().rfind("pid:") + 4;
  SHOWS(".");
  const pid_t child = std::stoi(shell_.screen().substr(begin));
  ASSERT_TRUE(is_alive(child));
  shell_.hang_up();
  EXPECT_TRUE(eventually(10s, [&] { return !is_alive(child); }));
  EXPECT_TRUE(eventually(10s, [&] { return redis_.number({"EXISTS", "job"}) == 0; }));
}

}  // namespace
}  // namespace holdfast::test
