// One at a time, and once per tick, across processes.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunExclusion : public run_test {
 protected:
  // So many at once; returns when all have ended.
  std::vector<outcome> together(int count, const std::vector<std::string>& words) const {
    std::vector<std::unique_ptr<command>> all;
    std::vector<std::string> with_verb{"run"};
    with_verb.insert(with_verb.end(), words.begin(), words.end());
    for (int i = 0; i < count; ++i) all.push_back(std::make_unique<command>(with_verb, variables()));
    std::vector<outcome> seen;
    for (auto& each : all) seen.push_back(each->finish(60s));
    return seen;
  }
};

TEST_F(RunExclusion, FiftyProcessesBumpAFileExactly) {
  const std::string file = dir_.file("count");
  std::ofstream{file} << "0\n";
  const auto seen = together(50, {"counter", "--", "sh", "-c", "n=$(cat " + file + "); echo $((n + 1)) >" + file});
  for (const outcome& each : seen) EXPECT_EQ(each.code(), 0) << each.err;
  EXPECT_EQ(contents(file), "50\n");
}

TEST_F(RunExclusion, OncePerTickRunsOnceForTenProcesses) {
  const std::string file = dir_.file("ran");
  for (int round = 0; round < 3; ++round) {
    // At the beginning of a tick, so that all ten are in the same: ticks of 2 s begin 200 ms early.
    const auto into = [] { return (wall_clock_ns() / 1'000'000 + 200) % 2000; };
    ASSERT_TRUE(eventually(5s, [&] { return into() > 1900; }));
    ASSERT_TRUE(eventually(5s, [&] { return into() < 100; }));
    const auto seen = together(10, {"--once-per", "2s", "tick", "--", "sh", "-c", "echo $HOLDFAST_OWNER >>" + file});
    int ran = 0;
    for (const outcome& each : seen) {
      EXPECT_EQ(each.code(), 0) << each.err;
      if (each.err.empty()) {
        ++ran;
      } else {
        EXPECT_NE(each.err.find("tick has already run in this tick"), std::string::npos) << each.err;
      }
    }
    EXPECT_EQ(ran, 1);
  }
  const std::string all = contents(file);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 3) << all;
}

// Asked again and again, whenever: never twice in one tick by the server's clock.
TEST_F(RunExclusion, OncePerTickHoldsForThoseWhoKeepAsking) {
  const std::string file = dir_.file("ran");
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < 3500ms) {
    EXPECT_EQ(run({"--once-per", "1s", "tick", "--", "sh", "-c", "date +%s%3N >>" + file}).code(), 0);
  }
  std::istringstream lines{contents(file)};
  std::set<long long> ticks;
  int runs = 0;
  for (long long ms = 0; lines >> ms; ++runs) ticks.insert((ms + 100) / 1000);
  EXPECT_EQ(static_cast<int>(ticks.size()), runs) << contents(file);
  EXPECT_GE(runs, 3);
  EXPECT_LE(runs, 5);
}

TEST_F(RunExclusion, OncePerTickTakesAnotherExitCode) {
  EXPECT_EQ(run({"--once-per", "1h", "tick", "--", "true"}).code(), 0);
  EXPECT_EQ(run({"--once-per", "1h", "-E", "9", "tick", "--", "true"}).code(), 9);
  const outcome told = run({"--once-per", "1h", "--json", "tick", "--", "true"});
  EXPECT_NE(told.err.find(R"("reason": "already_ran", "exit_code": 0)"), std::string::npos) << told.err;
  EXPECT_LE(redis_.number({"PTTL", "{tick}:once"}), 3'600'000);
  EXPECT_GT(redis_.number({"PTTL", "{tick}:once"}), 0);
}

TEST_F(RunExclusion, OncePerTickCountsARunThatFailed) {
  EXPECT_EQ(run({"--once-per", "1h", "tick", "--", "false"}).code(), 1);
  const outcome again = run({"--once-per", "1h", "tick", "--", "echo", "ran"});
  EXPECT_EQ(again.out, "") << "at most once";
}

TEST_F(RunExclusion, OncePerTickDoesNotCountWhatDidNotRun) {
  EXPECT_EQ(run({"--once-per", "1h", "tick", "--", "no-such-command"}).code(), 127);
  redis_.text({"SET", "tick", "somebody", "PX", "60000"});
  EXPECT_EQ(run({"-n", "--once-per", "1h", "tick", "--", "true"}).code(), 1);
  redis_.number({"DEL", "tick"});
  EXPECT_EQ(run({"--once-per", "1h", "tick", "--", "echo", "ran"}).out, "ran\n");
}

TEST_F(RunExclusion, OncePerTickIsPerNameAndPrefix) {
  EXPECT_EQ(run({"--once-per", "1h", "a", "--", "echo", "ran"}).out, "ran\n");
  EXPECT_EQ(run({"--once-per", "1h", "b", "--", "echo", "ran"}).out, "ran\n");
  EXPECT_EQ(run({"--once-per", "1h", "--prefix", "p:", "a", "--", "echo", "ran"}).out, "ran\n");
  EXPECT_EQ(run({"--once-per", "1h", "--owner", "me", "{c}:d", "--", "echo", "ran"}).out, "ran\n");
  EXPECT_EQ(run({"--once-per", "1h", "--owner", "me", "{c}:d", "--", "echo", "ran"}).out, "") << "the same owner, too";
  EXPECT_EQ(redis_.number({"EXISTS", "{c}:d:once"}), 1);
}

// The rights of docs/operate.md, and nothing more.
TEST_F(RunExclusion, OncePerTickNeedsOneMoreRight) {
  const std::string rights =
      " resetkeys resetchannels -@all ~app:* ~{app:*}:waiters ~{app:*}:seen ~holdfast:fence:* +eval +evalsha +time "
      "+get "
      "+set +setrange +del +exists +pexpire +pttl +zadd +zrem +zpopmin +zrange +zscore +zrank +zcard +hget +hset +hdel";
  const redis_server strict{{.users = {"user less on >pw" + rights, "user app on >pw" + rights + " ~{app:*}:once*"}}};
  const auto as = [&](const std::string& user) {
    return run({"--url", "redis://" + user + ":pw@127.0.0.1:" + std::to_string(strict.port()), "--once-per", "1h",
                "app:job", "--", "echo", "ran"});
  };
  EXPECT_EQ(as("less").code(), 77);
  EXPECT_EQ(as("app").out, "ran\n");
  EXPECT_EQ(as("app").out, "");
}

}  // namespace
}  // namespace holdfast::test
