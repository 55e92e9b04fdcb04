// D22 (redsync): clean-up after a cancelled attempt used the cancelled context, so the key stayed until its ttl.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

// The server grants, the answer is lost, the caller gives up: the lock of 60 s must be free again in seconds.
void expect_clean_up(test::direction lost_way, bool comes_back) {
  redis_server server;
  gate between{server.port()};
  load_scripts(server);
  client redis{quiet(between.url(), 500ms)};
  ASSERT_TRUE(redis.ping());
  between.when_reply(granted_reply, fault::black_hole(lost_way));
  std::stop_source stop;
  auto attempt = std::async(std::launch::async,
                            [&] { return redis.acquire(std::nothrow, "d22", {.ttl = 60s, .stop = stop.get_token()}); });
  ASSERT_TRUE(between.wait_triggered());
  ASSERT_EQ(server.number({"EXISTS", "d22"}), 1);
  stop.request_stop();
  const auto got = attempt.get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::cancelled);
  if (comes_back) between.pass();
  EXPECT_TRUE(key_goes(server, "d22", 5s));
}

TEST(Regress, D22_ACancelledAttemptCleansUpWhenOnlyAnswersAreLost) {
  expect_clean_up(test::direction::to_client, false);
}

TEST(Regress, D22_ACancelledAttemptCleansUpWhenTheLinkComesBack) { expect_clean_up(test::direction::both, true); }

TEST(Regress, D22_AnAttemptThatRanIntoItsTimeLimitCleansUp) {
  redis_server server;
  gate between{server.port()};
  load_scripts(server);
  client redis{quiet(between.url(), 500ms)};
  ASSERT_TRUE(redis.ping());
  between.when_reply(granted_reply, fault::black_hole(test::direction::to_client));
  const auto got = redis.try_acquire("d22", {.ttl = 60s});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable);
  EXPECT_EQ(got.failure().sent, delivery::unanswered);
  between.pass();
  EXPECT_TRUE(key_goes(server, "d22", 5s));
}

// The link is given up and the request is about to be sent again when the limit passes: the first sending may have been run.
TEST(Regress, D22_AnAttemptThatEndsBetweenTwoSendingsCleansUp) {
  redis_server server;
  gate between{server.port()};
  load_scripts(server);
  client redis{quiet(between.url(), 200ms)};
  ASSERT_TRUE(redis.ping());
  between.when_reply(granted_reply, fault::black_hole(test::direction::to_client));
  EXPECT_EQ(redis.acquire(std::nothrow, "d22", {.ttl = 60s, .wait = 300ms}).code(), errc::unreachable);
  between.pass();
  EXPECT_TRUE(key_goes(server, "d22", 10s));
}

// The server is away for longer than a caller would wait for a connection; the clean-up has the time to outlast that.
TEST(Regress, D22_ACleanUpOutlastsAFailureToConnect) {
  redis_server server;
  gate between{server.port()};
  load_scripts(server);
  settings how = quiet(between.url(), 200ms);
  how.connect_timeout = 300ms;
  client redis{how};
  ASSERT_TRUE(redis.ping());
  between.when_reply(granted_reply, fault::down());
  EXPECT_EQ(redis.try_acquire("d22", {.ttl = 60s}).code(), errc::unreachable);
  ASSERT_EQ(server.number({"EXISTS", "d22"}), 1);
  std::this_thread::sleep_for(2s);  // several attempts to connect fail
  between.pass();
  EXPECT_TRUE(key_goes(server, "d22"));
}

TEST(Regress, D22_ACancelledWaiterLeavesTheQueue) {
  redis_server server;
  client redis{quiet(server.url())};
  lease held = redis.acquire("d22", {.ttl = 60s});
  std::stop_source stop;
  auto attempt =
      std::async(std::launch::async, [&] { return redis.acquire(std::nothrow, "d22", {.stop = stop.get_token()}); });
  ASSERT_TRUE(queue_has(server, "d22", 1));
  stop.request_stop();
  EXPECT_EQ(attempt.get().code(), errc::cancelled);
  EXPECT_TRUE(queue_has(server, "d22", 0));
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(key_goes(server, "d22", 5s));
}

}  // namespace
}  // namespace holdfast::regress
