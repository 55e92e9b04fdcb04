// holdfast bench: figures, in bounded time, that leave nothing behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "cli/command.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

double member(const std::string& object, const std::string& name) {
  std::smatch found;
  if (!std::regex_search(object, found, std::regex{"\"" + name + "\": ([0-9.e+-]+)"})) return -1;
  return std::stod(found[1]);
}

TEST(Bench, MeasuresAgainstTheGivenRedisAndSaysWhatItDid) {
  redis_server server;
  const outcome seen = holdfast_run({"bench", "--url", server.url(), "--seconds", "0.6"});
  ASSERT_EQ(seen.code(), 0) << seen.err;
  for (const char* row : {"PING", "lock and unlock", "lock, unlock by 16 threads", "hand-off to a waiter"}) {
    EXPECT_NE(seen.out.find(std::string{"\n"} + row), std::string::npos) << seen.out;
  }
  EXPECT_NE(seen.out.find(server.url()), std::string::npos) << seen.out;
  EXPECT_NE(seen.out.find("holdfast:bench:"), std::string::npos) << seen.out;
  EXPECT_GT(server.command_calls("ping"), 0);
  EXPECT_GT(server.command_calls("evalsha"), 0);
}

TEST(Bench, TheFiguresAreInOrder) {
  redis_server server;
  const outcome seen = holdfast_run({"bench", "--json", "--seconds", "1"}, {{"HOLDFAST_URL", server.url()}});
  ASSERT_EQ(seen.code(), 0) << seen.err;
  static const std::regex figure{R"x(\{"name": "(\w+)"[^}]*\})x"};
  std::vector<std::string> names;
  for (std::sregex_iterator at{seen.out.begin(), seen.out.end(), figure}, end; at != end; ++at) {
    const std::string object = at->str();
    names.push_back((*at)[1]);
    EXPECT_GT(member(object, "count"), 0) << object;
    EXPECT_GT(member(object, "p50_us"), 0) << object;
    EXPECT_GE(member(object, "p99_us"), member(object, "p50_us")) << object;
    EXPECT_GT(member(object, "per_second"), 0) << object;
    EXPECT_GT(member(object, "to_ping"), 0) << object;
    if (names.back() == "ping") {
      EXPECT_EQ(member(object, "to_ping"), 1) << object;
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"ping", "lock_unlock", "many", "handoff"}));
}

TEST(Bench, LeavesNoLockAndNothingWithoutExpiry) {
  redis_server server;
  ASSERT_EQ(holdfast_run({"bench", "--url", server.url(), "--prefix", "mine:", "--seconds", "0.4"}).code(), 0);
  EXPECT_TRUE(server.keys_without_expiry().empty());
  for (const auto& key : server.keys()) EXPECT_FALSE(key.starts_with("mine:")) << key;
}

TEST(Bench, TakesTheTimeThatItWasGiven) {
  redis_server server;
  const outcome seen = holdfast_run({"bench", "--url", server.url(), "--seconds", "0.4"});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_LT(seen.took, 10s);
  for (const char* wrong : {"0", "0.05", "61", "1h"}) {
    const outcome refused = holdfast_run({"bench", "--url", server.url(), "--seconds", wrong});
    EXPECT_EQ(refused.code(), 64) << wrong;
    EXPECT_EQ(refused.err, "holdfast: --seconds must be between 0.1 and 60\n");
  }
}

TEST(Bench, TellsARedisThatIsNotThere) {
  const outcome seen = holdfast_run({"bench", "--url", "redis://127.0.0.1:1"});
  EXPECT_EQ(seen.code(), 69);
  EXPECT_EQ(std::ranges::count(seen.err, '\n'), 1) << seen.err;
  EXPECT_EQ(seen.out, "");
}

}  // namespace
}  // namespace holdfast::test
