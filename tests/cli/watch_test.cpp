// watch in a real terminal (tmux), and in a pipe.
#include <gtest/gtest.h>

#include <signal.h>

#include <holdfast/holdfast.hpp>

#include <fstream>
#include <sstream>

#include "cli/command.hpp"
#include "support/eventually.hpp"
#include "support/redis_server.hpp"
#include "support/tmux.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

settings quiet(const redis_server& server) {
  settings how = settings::from_url(server.url()).value();
  how.on_warning = [](const warning&) {};
  return how;
}

struct Watch : testing::Test {
  redis_server server;
  client redis{quiet(server)};
  temp_dir dir;

  [[nodiscard]] environment variables() const { return {{"HOLDFAST_URL", server.url()}, {"NO_COLOR", ""}}; }

  // A shell that notes the terminal's settings before and after, and says when it is back.
  [[nodiscard]] std::string between_notes(const std::string& words) const {
    return "echo earlier; stty -g > " + dir.file("before") + "; echo $$ > " + dir.file("shell") + "; " + program + " " +
           words + "; echo code=$?; stty -g > " + dir.file("after") + "; echo back; sleep 60";
  }
  [[nodiscard]] std::string note(const std::string& name) const {
    std::ifstream file{dir.file(name)};
    std::string line;
    std::getline(file, line);
    return line;
  }
  void expect_restored(tmux& terminal) {
    ASSERT_TRUE(terminal.shows("back")) << terminal.screen();
    EXPECT_TRUE(terminal.shows("earlier")) << "the screen of before";
    EXPECT_EQ(note("before"), note("after"));
    EXPECT_NE(note("before"), "");
    EXPECT_EQ(terminal.property("#{alternate_on}"), "0");
    EXPECT_EQ(terminal.property("#{cursor_flag}"), "1");
  }
  // The pid of the command that the shell started.
  [[nodiscard]] pid_t command_pid() const {
    process find{{"pgrep", "-P", note("shell"), "holdfast"}};
    const auto line = find.read_line(5s);
    return line ? std::stoi(*line) : -1;
  }
};

TEST_F(Watch, ShowsHolderRemainingTimeAndWaiters) {
  lease held = redis.acquire("invoice:42");
  client other{quiet(server)};
  std::stop_source stop;
  std::thread waiter{[&] { static_cast<void>(other.acquire(std::nothrow, "invoice:42", {.stop = stop.get_token()})); }};
  {
    tmux terminal{program + " watch", variables()};
    EXPECT_TRUE(terminal.shows("invoice:42")) << terminal.screen();
    EXPECT_TRUE(terminal.shows("1 lock, 1 waiting")) << terminal.screen();
    EXPECT_TRUE(terminal.shows(":" + std::to_string(::getpid()))) << "host:pid\n" << terminal.screen();
    EXPECT_TRUE(terminal.shows("█████")) << terminal.screen();
    stop.request_stop();
    EXPECT_TRUE(terminal.shows("1 lock, 0 waiting")) << terminal.screen();
    held.release();
    EXPECT_TRUE(terminal.shows("no locks")) << terminal.screen();
  }
  waiter.join();
}

TEST_F(Watch, CountsHandOffsAndLosses) {
  static_cast<void>(redis.try_acquire("short", "somebody", 1500ms));
  tmux terminal{program + " watch '*'", variables()};
  ASSERT_TRUE(terminal.shows("short"));
  EXPECT_TRUE(terminal.shows("1 lost")) << terminal.screen();
}

TEST_F(Watch, SortsFiltersScrollsAndExplains) {
  std::vector<lease> held;
  for (int i = 0; i < 40; ++i) held.push_back(redis.acquire("lock-" + std::to_string(100 + i)));
  tmux terminal{program + " watch", variables()};
  ASSERT_TRUE(terminal.shows("lock-100"));
  EXPECT_TRUE(terminal.shows("rows 1-19 of 40")) << terminal.screen();
  terminal.press("NPage");
  EXPECT_TRUE(terminal.hides("lock-100")) << terminal.screen();
  terminal.press("s");
  EXPECT_TRUE(terminal.shows("sort: remaining"));
  terminal.press("/");
  terminal.press("139");
  EXPECT_TRUE(terminal.shows("filter: 139_")) << terminal.screen();
  terminal.press("Enter");
  EXPECT_TRUE(terminal.shows("lock-139")) << terminal.screen();
  EXPECT_TRUE(terminal.hides("lock-138")) << terminal.screen();
  terminal.press("Escape");
  EXPECT_TRUE(terminal.shows("rows 1-19 of 40")) << terminal.screen();
  terminal.press("?");
  EXPECT_TRUE(terminal.shows("hold the picture")) << terminal.screen();
}

TEST_F(Watch, FollowsTheSizeOfTheTerminal) {
  lease held = redis.acquire("wide");
  tmux terminal{program + " watch", variables(), 90, 12};
  ASSERT_TRUE(terminal.shows("wide"));
  terminal.resize(140, 30);
  EXPECT_TRUE(eventually(10s, [&] {
    std::istringstream lines{terminal.screen()};
    std::string last;
    for (std::string line; std::getline(lines, line);) last = line;
    return last.find("q quit") != std::string::npos;
  })) << terminal.screen();
}

TEST_F(Watch, QuitGivesTheTerminalBack) {
  tmux terminal{between_notes("watch"), variables()};
  ASSERT_TRUE(terminal.shows("no locks"));
  EXPECT_EQ(terminal.property("#{alternate_on}"), "1");
  terminal.press("q");
  expect_restored(terminal);
  EXPECT_TRUE(terminal.shows("code=0"));
}

TEST_F(Watch, SignalsGiveTheTerminalBack) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT}) {
    tmux terminal{between_notes("watch"), variables()};
    ASSERT_TRUE(terminal.shows("no locks"));
    const pid_t pid = command_pid();
    ASSERT_GT(pid, 0);
    ::kill(pid, number);
    expect_restored(terminal);
    EXPECT_TRUE(terminal.shows("code=" + std::to_string(128 + number))) << terminal.screen();
  }
}

TEST_F(Watch, StopsAndComesBackUnderJobControl) {
  tmux terminal{"bash --norc -i", variables()};
  terminal.press("PS1='shell> '");
  terminal.press("Enter");
  terminal.press(program + " watch");
  terminal.press("Enter");
  ASSERT_TRUE(terminal.shows("no locks"));
  terminal.press("C-z");
  ASSERT_TRUE(terminal.shows("Stopped")) << terminal.screen();
  EXPECT_EQ(terminal.property("#{alternate_on}"), "0");
  terminal.press("fg");
  terminal.press("Enter");
  EXPECT_TRUE(terminal.shows("no locks")) << terminal.screen();
  EXPECT_EQ(terminal.property("#{alternate_on}"), "1");
  terminal.press("q");
  EXPECT_TRUE(terminal.shows("shell> "));
}

TEST_F(Watch, SurvivesARedisThatGoesAndComesBack) {
  lease held = redis.acquire("steady");
  tmux terminal{program + " watch", variables(), 140, 24};
  ASSERT_TRUE(terminal.shows("steady"));
  server.stop();
  EXPECT_TRUE(terminal.shows("unreachable", 30s)) << terminal.screen();
  EXPECT_TRUE(terminal.shows("steady")) << "the last picture stays";
  server.restart();
  EXPECT_TRUE(terminal.shows("no locks", 30s)) << terminal.screen();
}

TEST_F(Watch, ColoursOnlyIfWanted) {
  lease held = redis.acquire("plain");
  tmux coloured{"env -u NO_COLOR " + program + " watch", variables()};
  ASSERT_TRUE(coloured.shows("plain"));
  EXPECT_NE(coloured.screen(true).find("\x1b[32m"), std::string::npos) << "a green bar";
  tmux plain{"NO_COLOR=1 " + program + " watch", variables()};
  ASSERT_TRUE(plain.shows("plain"));
  EXPECT_EQ(plain.screen(true).find("\x1b[3"), std::string::npos);
}

TEST_F(Watch, APipeGetsLines) {
  command watching{{"watch", "--interval", "200ms"}, variables()};
  lease held = redis.acquire("pipe\x1b[31m");
  const auto first = watching.running().read_line(10s);
  ASSERT_TRUE(first);
  EXPECT_NE(first->find(" held     pipe\\x1b[31m  "), std::string::npos) << *first;
  held.release();
  const auto second = watching.running().read_line(10s);
  ASSERT_TRUE(second);
  EXPECT_NE(second->find(" released pipe"), std::string::npos) << *second;
}

TEST_F(Watch, AClosedPipeEndsIt) {
  process both{{"/bin/sh", "-c", "\"$0\" watch --interval 100ms '*' | head -n 1", program},
               {.environment = variables()}};
  lease one = redis.acquire("one");
  EXPECT_TRUE(both.read_line(10s));
  lease two = redis.acquire("two");
  EXPECT_TRUE(both.wait(10s)) << "the shell waits for both";
}

TEST_F(Watch, RefusesAnIntervalThatWouldHurt) {
  const outcome seen = holdfast_run({"watch", "--interval", "1ms"}, variables());
  EXPECT_EQ(seen.code(), 64);
  EXPECT_NE(seen.err.find("--interval"), std::string::npos) << seen.err;
}

TEST_F(Watch, AnUnreachableRedisIsToldBeforeTheTerminalIsTaken) {
  server.stop();
  const outcome seen = holdfast_run({"watch"}, variables());
  EXPECT_EQ(seen.code(), 69);
  EXPECT_EQ(seen.out, "");
}

}  // namespace
}  // namespace holdfast::test
