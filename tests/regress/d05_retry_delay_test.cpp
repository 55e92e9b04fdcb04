// D5 (redis-plus-plus): the retry delay was never read: 720 tries in 2 s.
#include <gtest/gtest.h>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

long long tries(redis_server& server, client& redis, backoff retry) {
  const auto before = scripts_run(server);
  const auto lease = redis.acquire(std::nothrow, "d5", {.wait = 1000ms, .queue = false, .retry = retry});
  EXPECT_TRUE(!lease && lease.code() == errc::timed_out);
  return scripts_run(server) - before;
}

TEST(Regress, D5_TheRetryDelayHasAnEffect) {
  redis_server server;
  load_scripts(server);
  static_cast<void>(server.text({"SET", "d5", "somebody", "PX", "60000"}));
  client redis{quiet(server.url())};
  ASSERT_TRUE(redis.ping());
  const auto slow = tries(server, redis, {250ms, 250ms});
  EXPECT_GE(slow, 2);
  EXPECT_LE(slow, 6) << "at 0, 250, 500, 750 ms, and perhaps a release at the end";
  const auto quick = tries(server, redis, {10ms, 10ms});
  EXPECT_GT(quick, 2 * slow);
  EXPECT_LE(quick, 103) << "never more often than asked for";
}

}  // namespace
}  // namespace holdfast::regress
