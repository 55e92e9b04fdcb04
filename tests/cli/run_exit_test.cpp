// Every exit code of `holdfast run`, and the one line that goes with it.
#include <algorithm>
#include <fstream>

#include "cli/run_fixture.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunExit : public run_test {};

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST_F(RunExit, IsTheCommandsOwn) {
  for (const int code : {0, 1, 7, 64, 79, 255}) {
    const outcome seen = run({"job", "--", "sh", "-c", "exit " + std::to_string(code)});
    EXPECT_EQ(seen.code(), code);
    EXPECT_EQ(seen.err, "");
    EXPECT_TRUE(redis_.text({"GET", "job"}).empty());
  }
}

TEST_F(RunExit, Is128PlusTheSignalThatEndedTheCommand) {
  const outcome killed = run({"job", "--", "sh", "-c", "kill -KILL $$"});
  EXPECT_EQ(killed.code(), 137);
  EXPECT_EQ(killed.err, "holdfast: sh was ended by signal KILL\n");
  EXPECT_EQ(run({"job", "--", "sh", "-c", "kill -TERM $$"}).code(), 143);
  const outcome interrupted = run({"job", "--", "sh", "-c", "kill -INT $$"});
  EXPECT_EQ(interrupted.code(), 130);
  EXPECT_EQ(interrupted.err, "") << "whoever pressed ^C knows";
}

TEST_F(RunExit, Is127ForACommandThatDoesNotExist) {
  const outcome seen = run({"job", "--", "no-such-command-anywhere"});
  EXPECT_EQ(seen.code(), 127);
  EXPECT_EQ(seen.err, "holdfast: cannot run no-such-command-anywhere: No such file or directory\n");
  EXPECT_TRUE(redis_.text({"GET", "job"}).empty()) << "the lock must be released";
}

TEST_F(RunExit, Is126ForACommandThatCannotBeExecuted) {
  std::ofstream{dir_.file("plain")} << "text";
  const outcome seen = run({"job", "--", dir_.file("plain")});
  EXPECT_EQ(seen.code(), 126);
  EXPECT_EQ(seen.err, "holdfast: cannot run " + dir_.file("plain") + ": Permission denied\n");
  EXPECT_EQ(run({"job", "--", dir_.path().string()}).code(), 126);
  EXPECT_TRUE(redis_.text({"GET", "job"}).empty());
}

TEST_F(RunExit, Is1WhenTheLockIsHeldAndTheCommandDoesNotRun) {
  redis_.text({"SET", "job", "somebody", "PX", "60000"});
  const outcome seen = run({"-n", "job", "--", "echo", "ran"});
  EXPECT_EQ(seen.code(), 1);
  EXPECT_EQ(seen.out, "");
  EXPECT_EQ(lines(seen.err), 1);
  EXPECT_NE(seen.err.find("job was not acquired: held by somebody"), std::string::npos) << seen.err;
  EXPECT_EQ(redis_.text({"GET", "job"}), "somebody");
}

TEST_F(RunExit, IsWhatCapitalESaysWhenNotAcquired) {
  redis_.text({"SET", "job", "somebody", "PX", "60000"});
  EXPECT_EQ(run({"-n", "-E", "42", "job", "--", "true"}).code(), 42);
  EXPECT_EQ(run({"-w", "0.1", "--conflict-exit-code=0", "job", "--", "true"}).code(), 0);
  EXPECT_EQ(run({"-n", "-E", "42", "free", "--", "true"}).code(), 0) << "only when it was not acquired";
}

TEST_F(RunExit, Is69WhenRedisCannotBeReached) {
  const std::string nobody = "redis://127.0.0.1:1?connect_timeout=300ms";
  const outcome seen = run({"--url", nobody, "job", "--", "echo", "ran"});
  EXPECT_EQ(seen.code(), 69);
  EXPECT_EQ(seen.out, "");
  EXPECT_EQ(lines(seen.err), 1) << seen.err;
  EXPECT_EQ(run({"-n", "-E", "5", "--url", nobody, "job", "--", "true"}).code(), 69) << "-E is for a lock that is held";
}

TEST_F(RunExit, Is69WithinTheWaitLimitWhenRedisDoesNotAnswer) {
  redis_.pause();
  const outcome seen = run({"-w", "0.5", "job", "--", "true"});
  redis_.resume();
  EXPECT_EQ(seen.code(), 69) << seen.err;
  EXPECT_GE(seen.took, 400ms);
  EXPECT_LE(seen.took, 3s);
}

TEST_F(RunExit, Is77ForAWrongPassword) {
  const redis_server closed{{.requirepass = "right"}};
  const std::string port = std::to_string(closed.port());
  const outcome seen = run({"--url", "redis://:wrong-password@127.0.0.1:" + port, "job", "--", "true"});
  EXPECT_EQ(seen.code(), 77) << seen.err;
  EXPECT_EQ(seen.err.find("wrong-password"), std::string::npos) << seen.err;
}

TEST_F(RunExit, Is65ForAKeyThatIsNotALock) {
  redis_.number({"RPUSH", "job", "a"});
  EXPECT_EQ(run({"job", "--", "true"}).code(), 65);
}

TEST_F(RunExit, Is64ForWordsThatContradictEachOther) {
  struct wrong {
    std::vector<std::string> words;
    std::string named;
  };
  const std::vector<wrong> all{
      {{"-n", "-w", "1", "job", "--", "true"}, "-n (do not wait) and -w (wait)"},
      {{"-c", "true", "job", "--", "false"}, "-c and the command 'false'"},
      {{"job"}, "no command"},
      {{"job", "--"}, "no command"},
      {{}, "NAME"},
      {{"-w", "soon", "job", "--", "true"}, "'soon' is not a duration"},
      {{"-w", "-1", "job", "--", "true"}, "'-1' is not a duration"},
      {{"-E", "256", "job", "--", "true"}, "'256' is not an exit code"},
      {{"--ttl", "50ms", "job", "--", "true"}, "--ttl is 50 ms"},
      {{"--ttl", "4s", "--grace", "3s", "job", "--", "true"}, "--grace 3.0 s is too long for --ttl 4.0 s"},
      {{"--on-lost=explode", "job", "--", "true"}, "--on-lost=explode"},
      {{"--on-lost=signal:NONSENSE", "job", "--", "true"}, "no such signal"},
      {{"--on-lost=ignore", "--grace", "1s", "job", "--", "true"}, "--grace and --on-lost=ignore"},
      {{"--no-renew", "--min-hold", "40s", "job", "--", "true"}, "--min-hold 40.0 s"},
      {{"--once-per", "10ms", "job", "--", "true"}, "--once-per is 10 ms"},
      {{"job", "--unknown", "--", "true"}, "'--unknown'"},
      {{"", "--", "true"}, "name is empty"},
      {{"a{b", "--", "true"}, "broken braces"},
      {{"--url", "http://x", "job", "--", "true"}, "http"},
  };
  for (const wrong& each : all) {
    const outcome seen = run(each.words);
    EXPECT_EQ(seen.code(), 64) << each.named << ": " << seen.err;
    EXPECT_EQ(lines(seen.err), 1) << seen.err;
    EXPECT_NE(seen.err.find(each.named), std::string::npos) << each.named << ": " << seen.err;
  }
}

TEST_F(RunExit, DoesNotDependOnWhetherTheLineCanBeWritten) {
  redis_.text({"SET", "job", "somebody", "PX", "60000"});
  const std::string file = dir_.file("code");
  process shell{
      {"/bin/bash", "-c", "{ sleep 0.1; " + program + " run -n job -- true; echo $? >" + file + "; } 2>&1 | true"},
      {.environment = variables()}};
  ASSERT_TRUE(shell.wait(20s));
  EXPECT_EQ(contents(file), "1\n");
}

TEST_F(RunExit, IsToldAsJsonWithEveryReason) {
  const auto json = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "--json");
    const outcome seen = run(words);
    EXPECT_EQ(lines(seen.err), 1) << seen.err;
    EXPECT_TRUE(seen.err.starts_with("{") && seen.err.ends_with("}\n")) << seen.err;
    return seen.err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  };
  const std::string good = json({"job", "--", "sh", "-c", "echo $HOLDFAST_FENCE >" + dir_.file("fence") + "; exit 3"});
  has(good, R"("name": "job", "reason": "exited", "exit_code": 3)");
  std::string fence = contents(dir_.file("fence"));
  fence.pop_back();
  has(good, R"("fence": )" + fence);
  has(good, R"("held_ms": )");
  has(json({"job", "--", "sh", "-c", "kill -9 $$"}), R"("reason": "signal", "exit_code": 137)");
  has(json({"job", "--", "no-such-command"}), R"("reason": "not_found", "exit_code": 127)");
  has(json({"job", "--", "/"}), R"("reason": "not_executable", "exit_code": 126)");
  has(json({"-n", "-w", "1", "job", "--", "true"}), R"("reason": "usage", "exit_code": 64)");
  has(json({"--url", "redis://127.0.0.1:1?connect_timeout=100ms", "job", "--", "true"}), R"("reason": "unreachable")");
  redis_.text({"SET", "busy", "x", "PX", "60000"});
  const std::string held = json({"-n", "busy", "--", "true"});
  has(held, R"("reason": "held", "exit_code": 1)");
  has(held, R"("fence": null)");
  const std::string late = json({"-w", "0.2", "busy", "--", "true"});
  has(late, R"("reason": "timed_out", "exit_code": 1, "waited_ms": 2)");
}

}  // namespace
}  // namespace holdfast::test
