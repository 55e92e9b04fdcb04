// D16 (Redisson's semaphores): the clients' clocks decided, so that one whose clock was ahead stole a live permit; and a crashed
// holder's plain permits were lost for ever.
#include <gtest/gtest.h>

#include <regex>

#include "regress/ground.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::regress {
namespace {

// Nothing that a client sends tells a time, only lengths: its wall clock cannot matter. The ends are made of the server's.
TEST(Regress, D16_OnlyTheServersClockEndsAPermit) {
  redis_server server;
  client redis{quiet(server.url())};
  semaphore pool{redis, "d16", 1};
  auto overheard = server.connect();
  overheard.command({"MONITOR"});
  lease held = pool.take(std::nothrow, 1, {.ttl = 20s}).value();
  const auto time = server.list({"TIME"});
  const long long now = std::stoll(time[0]) * 1'000'000 + std::stoll(time[1]);
  const auto holds = server.list({"ZRANGE", "d16", "-1", "-1", "WITHSCORES"});
  ASSERT_EQ(holds.size(), 2U);
  EXPECT_LE(std::stoll(holds[1]) - now, 20'000'000);
  EXPECT_GT(std::stoll(holds[1]) - now, 5'000'000);
  EXPECT_FALSE(pool.try_acquire());
  held.extend(20s);
  held.release();
  server.text({"PING", "over"});
  static const std::regex a_time{"\"[0-9]{10,}\""};
  int scripts = 0;
  for (std::string line = overheard.receive().text; line.find("\"over\"") == std::string::npos;
       line = overheard.receive().text) {
    if (line.find(" lua]") != std::string::npos || line.find("\"EVAL") == std::string::npos) continue;
    ++scripts;
    EXPECT_FALSE(std::regex_search(line, a_time)) << line;
  }
  EXPECT_GE(scripts, 4);
}

TEST(Regress, D16_ACrashedHoldersPermitsComeBack) {
  redis_server server;
  client redis{quiet(server.url())};
  semaphore pool{redis, "d16", 3};
  test::process holder{{test::helper("sharer"), server.url(), "d16", "800", "0", "2/3"}};
  ASSERT_EQ(holder.read_line(patience), "asking");
  ASSERT_TRUE(holder.read_line(patience).value_or("").starts_with("got "));
  lease mine = pool.take();
  EXPECT_FALSE(pool.try_acquire());
  holder.kill();
  EXPECT_TRUE(pool.try_acquire_for(patience, 2)) << "both, when its ttl was over";
  EXPECT_EQ(mine.state(), lease_state::VALID) << "and nobody else's";
}

}  // namespace
}  // namespace holdfast::regress
