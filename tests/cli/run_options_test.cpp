// Each option of `holdfast run` shows its effect, and what the command finds around itself.
#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunOptions : public run_test {};

TEST_F(RunOptions, WaitIsHowLongItWaits) {
  redis_.text({"SET", "job", "somebody", "PX", "60000"});
  const outcome seen = run({"-w", "0.5", "job", "--", "true"});
  EXPECT_EQ(seen.code(), 1);
  EXPECT_GE(seen.took, 400ms);
  EXPECT_LE(seen.took, 600ms);
}

TEST_F(RunOptions, WaitOfNothingIsNonblock) {
  redis_.text({"SET", "job", "somebody", "PX", "60000"});
  const outcome seen = run({"-w", "0", "job", "--", "true"});
  EXPECT_EQ(seen.code(), 1);
  EXPECT_LT(seen.took, 2s);
  EXPECT_EQ(redis_.number({"EXISTS", "{job}:waiters"}), 0);
}

TEST_F(RunOptions, WithoutAnyItWaitsAndRunsWhenItsTurnComes) {
  auto first = start({"job", "--", "sh", "-c", "echo one; read line"});
  ASSERT_EQ(first.running().read_line(20s), "one");
  auto second = start({"job", "--", "echo", "two"});
  ASSERT_TRUE(eventually(10s, [&] { return redis_.number({"ZCARD", "{job}:waiters"}) == 1; }));
  EXPECT_EQ(first.finish().code(), 1);
  const outcome seen = second.finish();
  EXPECT_EQ(seen.out, "two\n");
  EXPECT_EQ(seen.code(), 0);
}

TEST_F(RunOptions, ExclusiveIsAccepted) { EXPECT_EQ(run({"-x", "job", "--", "echo", "a"}).out, "a\n"); }

TEST_F(RunOptions, CommandGoesThroughAShell) {
  EXPECT_EQ(run({"job", "-c", "echo a | tr a b; exit 4"}).out, "b\n");
  EXPECT_EQ(run({"-c", "exit 4", "job"}).code(), 4);
  EXPECT_EQ(run({"job", "--", "echo", "$HOME", "*", "a b"}).out, "$HOME * a b\n") << "no shell without -c";
}

TEST_F(RunOptions, TheCommandKeepsItsOwnOptions) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"job", "--", "echo", "-n", "-v", "--json"},
                                             {"job", "echo", "-n", "-v", "--json"},
                                             {"--", "job", "echo", "-n", "-v", "--json"},
                                             {"-n", "job", "--ttl", "5s", "echo", "-n", "-v", "--json"}}) {
    const outcome seen = run(words);
    EXPECT_EQ(seen.out, "-v --json") << seen.err;
    EXPECT_EQ(seen.err, "");
  }
  EXPECT_EQ(run({"job", "--", "echo", "--", "-w"}).out, "-- -w\n");
}

TEST_F(RunOptions, VerboseSaysWhatIsGoingOn) {
  const outcome seen = run({"-v", "job", "--", "true"});
  EXPECT_NE(seen.err.find("asking for job"), std::string::npos) << seen.err;
  EXPECT_NE(seen.err.find("acquired job"), std::string::npos) << seen.err;
  EXPECT_NE(seen.err.find("released job"), std::string::npos) << seen.err;
}

TEST_F(RunOptions, TtlIsTheServersExpiry) {
  auto running = start({"--ttl", "50s", "job", "--", "sh", "-c", "echo $HOLDFAST_TTL_MS; read line"});
  EXPECT_EQ(running.running().read_line(20s), "50000");
  const long long left = redis_.number({"PTTL", "job"});
  EXPECT_GT(left, 40'000);
  EXPECT_LE(left, 50'000);
}

TEST_F(RunOptions, OwnerAndPrefixAreOnTheServer) {
  auto running = start({"--owner", "me", "--prefix", "app:", "job", "--", "sh", "-c",
                        "echo $HOLDFAST_OWNER $HOLDFAST_KEY $HOLDFAST_NAME; read line"});
  EXPECT_EQ(running.running().read_line(20s), "me app:job job");
  EXPECT_EQ(redis_.text({"GET", "app:job"}), "me");
}

TEST_F(RunOptions, MinHoldKeepsTheLockAfterAFastCommand) {
  const outcome seen = run({"--min-hold", "700ms", "--ttl", "500ms", "job", "--", "sh", "-c", "exit 3"});
  EXPECT_EQ(seen.code(), 3) << seen.err;
  EXPECT_GE(seen.took, 700ms);
  EXPECT_EQ(redis_.number({"EXISTS", "job"}), 0);
}

TEST_F(RunOptions, MinHoldOfASlowCommandAddsNothing) {
  auto running = start({"--json", "--min-hold", "200ms", "job", "--", "sleep", "0.5"});
  const outcome seen = running.finish();
  EXPECT_EQ(seen.code(), 0);
  EXPECT_NE(seen.err.find(R"("held_ms": 5)"), std::string::npos) << seen.err;
}

TEST_F(RunOptions, JitterDelaysByARandomTime) {
  std::chrono::milliseconds longest{0};
  std::chrono::milliseconds shortest{10'000};
  for (int i = 0; i < 8; ++i) {
    const outcome seen = run({"--jitter", "600ms", "job", "--", "true"});
    EXPECT_EQ(seen.code(), 0);
    longest = std::max(longest, seen.took);
    shortest = std::min(shortest, seen.took);
  }
  EXPECT_GT(longest, 100ms) << "eight draws of up to 600 ms";
  EXPECT_LT(shortest, longest - 20ms);
}

TEST_F(RunOptions, ASignalEndsTheJitter) {
  auto running = start({"--jitter", "10m", "job", "--", "true"});
  std::this_thread::sleep_for(200ms);
  running.running().signal(SIGTERM);
  const outcome seen = running.finish();
  EXPECT_EQ(seen.code(), 143);
  EXPECT_LT(seen.took, 5s);
}

TEST_F(RunOptions, TheEnvironmentTellsTheLock) {
  const outcome seen =
      run({"job", "--", "sh", "-c",
           "echo $HOLDFAST_NAME $HOLDFAST_KEY $HOLDFAST_TTL_MS; echo $HOLDFAST_OWNER; echo $HOLDFAST_FENCE"});
  EXPECT_EQ(seen.out.rfind("job job 30000\n", 0), 0U) << seen.out;
  const std::string fence = seen.out.substr(seen.out.rfind('\n', seen.out.size() - 2) + 1);
  const outcome next = run({"job", "--", "sh", "-c", "echo $HOLDFAST_FENCE"});
  EXPECT_LT(std::stoull(fence), std::stoull(next.out)) << "fences grow";
}

TEST_F(RunOptions, ARunInsideARunSeesItsOwnLock) {
  const outcome seen = run({"outer", "--", program, "run", "inner", "--", "sh", "-c", "echo $HOLDFAST_NAME"});
  EXPECT_EQ(seen.out, "inner\n") << seen.err;
}

TEST_F(RunOptions, TheChildHasNoDescriptorOfOursButTheOneForTheLoss) {
  const outcome seen = run({"job", "--", "sh", "-c", "echo $HOLDFAST_LOST_FD; ls /proc/$$/fd"});
  EXPECT_EQ(seen.out, "3\n0\n1\n2\n3\n");
}

TEST_F(RunOptions, DescriptorsOfOurCallerPass) {
  process shell{{"/bin/bash", "-c",
                 program + " run job -- sh -c 'echo $HOLDFAST_LOST_FD; ls /proc/$$/fd' 3</dev/null 5</dev/null"},
                {.environment = variables()}};
  EXPECT_EQ(shell.read_rest(20s), "4\n0\n1\n2\n3\n4\n5\n");
}

TEST_F(RunOptions, StandardInputAndOutputPass) {
  auto running = start({"job", "--", "cat"});
  ASSERT_TRUE(running.running().write("through\n"));
  EXPECT_EQ(running.finish().out, "through\n");
}

TEST_F(RunOptions, ClosedStandardDescriptorsStayClosed) {
  process shell{{"/bin/bash", "-c", program + " run job -- ls -l /proc/self/fd <&- 2>&-"},
                {.environment = variables()}};
  const std::string seen = shell.read_rest(20s);
  EXPECT_NE(seen.find(" 1 -> pipe"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("socket"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("/dev/null"), std::string::npos) << seen;
  EXPECT_EQ(shell.wait(5s)->code, 0);
}

TEST_F(RunOptions, APasswordDoesNotShowInTheListOfProcesses) {
  const redis_server closed{{.requirepass = "top-secret"}};
  const std::string port = std::to_string(closed.port());
  for (const auto& url : {std::vector<std::string>{"--url", "redis://:top-secret@127.0.0.1:" + port},
                          {"--url=redis://default:top-secret@127.0.0.1:" + port},
                          {"--url", "redis://127.0.0.1:" + port + "?password=top-secret&user=default"}}) {
    std::vector<std::string> words = url;
    words.insert(words.end(), {"job", "--", "sh", "-c", "echo started; env; echo end; read line"});
    auto running = start(words);
    ASSERT_EQ(running.running().read_line(20s), "started") << running.err();
    const pid_t pid = running.running().pid();
    EXPECT_EQ(contents("/proc/" + std::to_string(pid) + "/cmdline").find("top-secret"), std::string::npos);
    for (const pid_t each : children_of(pid)) {
      EXPECT_EQ(contents("/proc/" + std::to_string(each) + "/cmdline").find("top-secret"), std::string::npos);
    }
    EXPECT_EQ(running.finish().out.find("top-secret"), std::string::npos) << "in the child's environment";
  }
}

}  // namespace
}  // namespace holdfast::test
