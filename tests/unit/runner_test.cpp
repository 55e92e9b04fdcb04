// The runner of the tests themselves: when a failure is void, and that it is noticed when the machine stands still.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "runner/metronome.hpp"
#include "runner/verdict.hpp"
#include "support/eventually.hpp"
#include "support/places.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(Verdict, WhatPassedHasPassedWhateverTheMachineDid) {
  EXPECT_EQ(judge(true, 0ns, 1), verdict::passed);
  EXPECT_EQ(judge(true, 10s, 1), verdict::passed);
}

TEST(Verdict, AFailureOnASteadyMachineCounts) {
  EXPECT_EQ(judge(false, 0ns, 1), verdict::failed);
  EXPECT_EQ(judge(false, pause_that_matters - 1ns, 1), verdict::failed);
}

TEST(Verdict, AFailureOnAMachineThatStoodStillIsVoidButForTheLastRun) {
  EXPECT_EQ(judge(false, pause_that_matters, 1), verdict::again);
  EXPECT_EQ(judge(false, pause_that_matters, most_runs - 1), verdict::again);
  EXPECT_EQ(judge(false, 10s, most_runs), verdict::failed);
}

// A stopped process is a machine that stands still, to those inside.
TEST(Metronome, HearsAPause) {
  process watched = fork_child([] {
    metronome watch;
    std::puts("beating");
    std::fflush(stdout);
    return eventually(10s, [&] { return watch.longest_pause() >= 150ms; }) ? 0 : 1;
  });
  ASSERT_EQ(watched.read_line(10s), "beating");
  watched.pause();
  std::this_thread::sleep_for(200ms);
  watched.resume();
  EXPECT_EQ(watched.wait(20s), (exit_status{.code = 0}));
}

class Runner : public testing::Test {
 protected:
  process start() { return process{{helper("told"), voided_}, {.merge_stderr = true}}; }

  static bool reaches(process& tests, std::string_view words) {
    for (;;) {
      const auto line = tests.read_line(20s);
      if (!line) return false;
      if (line->find(words) != std::string::npos) return true;
    }
  }

  std::size_t void_runs() {
    std::ifstream in{voided_};
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>{in}, {}, '\n'));
  }

  temp_dir folder_;
  std::string voided_ = folder_.path() / "void";
};

TEST_F(Runner, EndsAsTheTestsEnd) {
  process passing = start();
  ASSERT_TRUE(reaches(passing, "ready"));
  passing.write("pass\n");
  EXPECT_EQ(passing.wait(20s), (exit_status{.code = 0}));

  process crashing = start();
  // The machine may stand still by itself, and all this happen again.
  while (reaches(crashing, "ready")) crashing.write("crash\n");
  EXPECT_EQ(crashing.wait(20s), (exit_status{.signal = SIGABRT}));
}

TEST_F(Runner, ATestThatFailsWhileTheMachineStandsStillRunsAgainAndMayPass) {
  process tests = start();
  ASSERT_TRUE(reaches(tests, "ready"));
  tests.pause();  // of the parent, which watches
  std::this_thread::sleep_for(200ms);
  tests.resume();
  tests.write("fail\n");
  ASSERT_TRUE(reaches(tests, "once more"));
  ASSERT_TRUE(reaches(tests, "ready"));
  EXPECT_EQ(void_runs(), 1u);
  tests.write("pass\n");
  EXPECT_EQ(tests.wait(20s), (exit_status{.code = 0}));
}

TEST_F(Runner, ATestThatFailsEveryTimeFailsInTheEnd) {
  process tests = start();
  int runs = 0;
  while (reaches(tests, "ready")) {
    ++runs;
    tests.pause();
    std::this_thread::sleep_for(100ms);
    tests.resume();
    tests.write("fail\n");
  }
  EXPECT_EQ(runs, most_runs);
  EXPECT_EQ(tests.wait(20s), (exit_status{.code = 1}));
}

}  // namespace
}  // namespace holdfast::test
