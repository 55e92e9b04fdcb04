// D16 (Redisson's semaphores): the clients' clocks decided, so that one whose clock was ahead stole a live permit; and a crashed
// holder's plain permits were lost for ever.
#include <gtest/gtest.h>

#include "regress/ground.hpp"
#include "support/process.hpp"

namespace holdfast::regress {
namespace {

// What a client sends must not depend on its wall clock: no time but lengths goes out, and the ends on the server are its own.
TEST(Regress, D16_OnlyTheServersClockEndsAPermit) {
  redis_server server;
  client redis{quiet(server.url())};
  semaphore pool{redis, "d16", 1};
  const lease held = pool.take(std::nothrow, 1, {.ttl = 20s}).value();
  const auto time = server.list({"TIME"});
  const long long now = std::stoll(time[0]) * 1'000'000 + std::stoll(time[1]);
  const auto holds = server.list({"ZRANGE", "d16", "-1", "-1", "WITHSCORES"});
  ASSERT_EQ(holds.size(), 2U);
  const long long left = std::stoll(holds[1]) - now;
  EXPECT_LE(left, 20'000'000);
  EXPECT_GT(left, 10'000'000);

  // A client whose clock is three days ahead: libfaketime is not needed, for there is no argument to put a time into.
  for (const auto* script : {&scripts::share_acquire, &scripts::share_release, &scripts::share_renew}) {
    EXPECT_EQ(script->source.find("ARGV[9]"), std::string_view::npos);
    EXPECT_NE(script->source.find("'TIME'"), std::string_view::npos) << script->name << " asks the server's clock";
  }
  EXPECT_FALSE(pool.try_acquire());
  EXPECT_EQ(held.state(), lease_state::VALID);
}

TEST(Regress, D16_ACrashedHoldersPermitsComeBack) {
  redis_server server;
  client redis{quiet(server.url())};
  semaphore pool{redis, "d16", 3};
  test::process holder{{HOLDFAST_HELPERS_DIR "/sharer", server.url(), "d16", "800", "0", "2/3"}};
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
