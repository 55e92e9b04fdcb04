// run -s, -x and --permits: readers together and writers alone, so many permits and not one more, and everything else as
// with a plain lock.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/run_fixture.hpp"
#include "run/hold.hpp"
#include "stop.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RunKinds : public run_test {
 protected:
  [[nodiscard]] std::string log() const { return dir_.file("log"); }
  // Says '+' when it begins and '-' when it ends (with `mark` in front), in a file of all. Stays until so many have begun.
  [[nodiscard]] std::vector<std::string> work(const std::string& mark, int until_begun) const {
    return {"--", "sh", "-c",
            "echo '" + mark + "+' >>" + log() + "; i=0; while [ $(grep -c '+' " + log() + ") -lt " +
                std::to_string(until_begun) +
                " ] && [ $i -lt 400 ]; do i=$((i+1)); sleep 0.05; done; sleep 0.02; echo '" + mark + "-' >>" + log()};
  }
  [[nodiscard]] std::unique_ptr<command> begin(std::vector<std::string> words, const std::vector<std::string>& what) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), what.begin(), what.end());
    return std::make_unique<command>(std::move(words), variables());
  }
  [[nodiscard]] std::vector<std::string> logged() const {
    std::istringstream in{contents(log())};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  [[nodiscard]] int most_at_once() const {
    int now = 0;
    int most = 0;
    for (const std::string& line : logged()) most = std::max(most, now += line.ends_with('+') ? 1 : -1);
    return most;
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(RunKinds, ReadersTogetherWritersAlone) {
  std::vector<std::unique_ptr<command>> all;
  // Three readers must be inside at once, or none of them ends.
  for (int i = 0; i < 3; ++i) all.push_back(begin({"-s", "data"}, work("r", 3)));
  ASSERT_TRUE(eventually(20s, [&] { return logged().size() >= 3; }));
  for (int i = 0; i < 8; ++i) {
    all.push_back(begin({i % 2 == 0 ? "-x" : "-s", "data"}, work(i % 2 == 0 ? "w" : "r", 1)));
  }
  for (auto& each : all) {
    const outcome seen = each->finish(60s);
    EXPECT_EQ(seen.code(), 0) << seen.err;
  }
  EXPECT_GE(most_at_once(), 3);
  const auto lines = logged();
  ASSERT_EQ(lines.size(), 22U) << contents(log());
  int readers = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i][0] == 'r') readers += lines[i] == "r+" ? 1 : -1;
    if (lines[i] != "w+") continue;
    EXPECT_EQ(readers, 0) << "a writer among readers: " << contents(log());
    ASSERT_LT(i + 1, lines.size());
    EXPECT_EQ(lines[i + 1], "w-") << contents(log());
  }
  for (const std::string& each : redis_.keys()) EXPECT_TRUE(has(each, "holdfast:fence:")) << "left behind: " << each;
}

TEST_F(RunKinds, PermitsBoundHowManyRun) {
  std::vector<std::unique_ptr<command>> all;
  for (int i = 0; i < 9; ++i) all.push_back(begin({"--permits", "1/3", "pool"}, work("", 3)));
  for (auto& each : all) EXPECT_EQ(each->finish(60s).code(), 0);
  EXPECT_EQ(most_at_once(), 3) << contents(log());
  EXPECT_EQ(logged().size(), 18U);
}

TEST_F(RunKinds, SomeWantMorePermits) {
  std::vector<std::unique_ptr<command>> all;
  for (int i = 0; i < 6; ++i) all.push_back(begin({"--permits", "2/5", "pool"}, work("", 2)));
  for (auto& each : all) EXPECT_EQ(each->finish(60s).code(), 0);
  EXPECT_EQ(most_at_once(), 2) << contents(log());
}

TEST_F(RunKinds, WithoutWaitingAndWithALimit) {
  auto reader = begin({"-s", "data"}, {"--", "sh", "-c", "echo in; read line"});
  ASSERT_EQ(reader->running().read_line(20s), "in");
  EXPECT_EQ(run({"-n", "-s", "data", "--", "true"}).code(), 0) << "another reader";
  const outcome busy = run({"-n", "-x", "data", "--", "true"});
  EXPECT_EQ(busy.code(), 1);
  EXPECT_TRUE(has(busy.err, "data was not acquired: held by ")) << busy.err;
  EXPECT_EQ(run({"-w", "0.2", "-E", "9", "-x", "data", "--", "true"}).code(), 9);
  EXPECT_EQ(redis_.number({"EXISTS", "{data}:waiters"}), 0);

  auto two = begin({"--permits", "2/3", "pool"}, {"--", "sh", "-c", "echo in; read line"});
  ASSERT_EQ(two->running().read_line(20s), "in");
  EXPECT_EQ(run({"-n", "--permits", "1/3", "pool", "--", "true"}).code(), 0);
  EXPECT_EQ(run({"-n", "--permits", "2/3", "pool", "--", "true"}).code(), 1);
  EXPECT_EQ(run({"-w", "0.2", "--permits", "2/3", "pool", "--", "true"}).code(), 1);
}

TEST_F(RunKinds, TheCommandFindsTheSameAsWithAPlainLock) {
  for (const std::vector<std::string>& kind :
       std::vector<std::vector<std::string>>{{"-s"}, {"-x"}, {"--permits", "2/3"}}) {
    std::vector<std::string> words{kind};
    words.insert(words.end(), {"-v", "--owner", "me", "--min-hold", "0.05", "thing", "--", "sh", "-c",
                               "echo $HOLDFAST_NAME $HOLDFAST_OWNER $HOLDFAST_FENCE; exit 7"});
    const outcome seen = run(words);
    EXPECT_EQ(seen.code(), 7) << seen.err;
    EXPECT_EQ(seen.out.rfind("thing me 1", 0), 0U) << seen.out;
    EXPECT_TRUE(has(seen.err, "asking for thing" + std::string{kind[0] == "-s"   ? " with other readers\n"
                                                               : kind[0] == "-x" ? " alone, without readers\n"
                                                                                 : ": 2 of 3 permits\n"}))
        << seen.err;
    EXPECT_TRUE(has(seen.err, "released thing: released")) << seen.err;
  }
}

TEST_F(RunKinds, ALossStopsTheCommandInTime) {
  for (const std::vector<std::string>& kind :
       std::vector<std::vector<std::string>>{{"-s"}, {"-x"}, {"--permits", "1/2"}}) {
    std::vector<std::string> words{"--ttl", "3s"};
    words.insert(words.end(), kind.begin(), kind.end());
    words.emplace_back("job" + kind[0]);
    const auto running = start_witness(words, "stamp");
    const std::int64_t end = fresh_expiry("job" + kind[0]);
    redis_.pause();
    const outcome seen = running->finish();
    redis_.resume();
    EXPECT_EQ(seen.code(), 79) << seen.err;
    EXPECT_TRUE(has(seen.err, "was lost while the command ran: its time ran out")) << seen.err;
    EXPECT_TRUE(both_are_dead());
    EXPECT_LT(last_stamp(), end) << "the command outlived the lease";
  }
}

TEST_F(RunKinds, AShareThatIsDeletedIsLost) {
  const auto running = start_witness({"--ttl", "1s", "-s", "job"}, "stamp");
  redis_.number({"DEL", "job"});
  const outcome seen = running->finish();
  EXPECT_EQ(seen.code(), 79);
  EXPECT_TRUE(has(seen.err, "the server no longer has it")) << seen.err;
  EXPECT_TRUE(both_are_dead());
}

TEST_F(RunKinds, ASignalEndsTheWait) {
  auto reader = begin({"-s", "data"}, {"--", "sh", "-c", "echo in; read line"});
  ASSERT_EQ(reader->running().read_line(20s), "in");
  auto writer = begin({"-x", "data"}, {"--", "true"});
  ASSERT_TRUE(eventually(10s, [&] { return redis_.number({"ZCARD", "{data}:waiters"}) == 1; }));
  writer->running().signal(SIGTERM);
  EXPECT_EQ(writer->finish().code(), 143);
  EXPECT_EQ(redis_.number({"ZCARD", "{data}:waiters"}), 0);
}

// One name, one kind: whoever mixes them is told which it is, and what to write.
TEST_F(RunKinds, AnotherKindOfLockIsRefusedAndNamed) {
  auto reader = begin({"-s", "data"}, {"--", "sh", "-c", "echo in; read line"});
  ASSERT_EQ(reader->running().read_line(20s), "in");
  const outcome plain = run({"data", "--", "true"});
  EXPECT_EQ(plain.code(), 65);
  EXPECT_TRUE(has(plain.err, "data is in use as a lock that holders share")) << plain.err;
  EXPECT_TRUE(has(plain.err, "-x to have it alone")) << plain.err;

  auto alone = begin({"door"}, {"--", "sh", "-c", "echo in; read line"});
  ASSERT_EQ(alone->running().read_line(20s), "in");
  const outcome shared = run({"-s", "door", "--", "true"});
  EXPECT_EQ(shared.code(), 65);
  EXPECT_TRUE(has(shared.err, "door is in use as a plain lock, and was asked for with -s")) << shared.err;
  EXPECT_TRUE(has(shared.err, "say -x instead of nothing")) << shared.err;
  const outcome permits = run({"--permits", "1/2", "door", "--", "true"});
  EXPECT_EQ(permits.code(), 65);
  EXPECT_TRUE(has(permits.err, "use another name")) << permits.err;
  redis_.number({"LPUSH", "list", "x"});
  const outcome other = run({"-s", "list", "--", "true"});
  EXPECT_EQ(other.code(), 65);
  EXPECT_TRUE(has(other.err, "list was not acquired")) << other.err;
}

TEST_F(RunKinds, WrongWordsAreNamed) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"0/4", "'0' is out of range"},
      {"1/0", "'0' is out of range"},
      {"5/4", "5 permits can never be had of 4"},
      {"", "write K/N"},
      {"3", "write K/N"},
      {"x/4", "'x' is not a number"},
      {"1/", "'' is not a number"},
      {"/4", "'' is not a number"},
      {"-1/4", "'-1' is not a number"},
      {"+1/4", "'+1' is not a number"},
      {"1/ 4", "' 4' is not a number"},
      {"1/4/5", "'4/5' is not a number"},
      {"1/99999999999999999999999", "'99999999999999999999999' is out of range"},
      {"1/100000001", "'100000001' is out of range; 1 to 100000000"},
  };
  for (const auto& [words, why] : wrong) {
    try {
      static_cast<void>(cli::read_permits(words));
      ADD_FAILURE() << words;
    } catch (const cli::stop& refused) {
      EXPECT_EQ(refused.code, 64);
      EXPECT_EQ(std::string{refused.what()}.rfind("--permits " + words + ": ", 0), 0U) << refused.what();
      EXPECT_TRUE(has(refused.what(), why)) << refused.what();
    }
  }
  const cli::hold_kind right = cli::read_permits("2/100000000");
  EXPECT_EQ(right.count, 2U);
  EXPECT_EQ(right.capacity, 100'000'000U);

  EXPECT_EQ(run({"--permits", "5/4", "pool", "--", "true"}).code(), 64);
  for (const auto& [words, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"-s", "-x"}, "-s (with other readers) and -x (alone)"},
           {{"-s", "--permits", "1/2"}, "--permits and -s contradict"},
           {{"-x", "--permits", "1/2"}, "--permits and -x contradict"},
           {{"-s", "--once-per", "1h"}, "holdfast run --once-per … JOB -- holdfast run -s data -- COMMAND"},
           {{"--permits", "1/2", "--once-per", "1h"}, "holdfast run --permits 1/2 data -- COMMAND"}}) {
    std::vector<std::string> all{words};
    all.insert(all.end(), {"data", "--", "true"});
    const outcome seen = run(all);
    EXPECT_EQ(seen.code(), 64) << seen.err;
    EXPECT_TRUE(has(seen.err, why)) << seen.err;
  }
}

// What the refusal of --once-per recommends.
TEST_F(RunKinds, ATickAndAShareNest) {
  const std::vector<std::string> words{"--once-per", "1h",   "job", "--",   program, "run",
                                       "-s",         "data", "--",  "echo", "ran"};
  EXPECT_EQ(run(words).out, "ran\n");
  EXPECT_EQ(run(words).out, "");
}

}  // namespace
}  // namespace holdfast::test
