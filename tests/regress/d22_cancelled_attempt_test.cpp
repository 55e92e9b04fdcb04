// D22 (redsync): clean-up after a cancelled attempt used the cancelled context, so the key stayed until its ttl.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "regress/gated.hpp"

namespace holdfast::regress {
namespace {

// The server grants the next lock, and the answer is lost by that fault.
struct lost_answer : gated {
  explicit lost_answer(const fault& what, std::chrono::milliseconds command_timeout,
                       std::optional<std::chrono::milliseconds> connect_timeout = {})
      : gated{command_timeout, connect_timeout} {
    between.when_reply(granted_reply, what);
  }
};

// The caller gives up: the lock of 60 s must be free again in seconds.
void expect_clean_up(test::direction lost_way, bool comes_back) {
  lost_answer at{fault::black_hole(lost_way), 500ms};
  std::stop_source stop;
  auto attempt = std::async(std::launch::async, [&] {
    return at.redis.acquire(std::nothrow, "d22", {.ttl = 60s, .stop = stop.get_token()});
  });
  ASSERT_TRUE(at.between.wait_triggered());
  ASSERT_EQ(at.server.number({"EXISTS", "d22"}), 1);
  stop.request_stop();
  const auto got = attempt.get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::cancelled);
  if (comes_back) at.between.pass();
  EXPECT_TRUE(key_goes(at.server, "d22", 5s));
}

TEST(Regress, D22_ACancelledAttemptCleansUpWhenOnlyAnswersAreLost) {
  expect_clean_up(test::direction::to_client, false);
}

TEST(Regress, D22_ACancelledAttemptCleansUpWhenTheLinkComesBack) { expect_clean_up(test::direction::both, true); }

TEST(Regress, D22_AnAttemptThatRanIntoItsTimeLimitCleansUp) {
  lost_answer at{fault::black_hole(test::direction::to_client), 500ms};
  const auto got = at.redis.try_acquire("d22", {.ttl = 60s});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable);
  EXPECT_EQ(got.failure().sent, delivery::unanswered);
  at.between.pass();
  EXPECT_TRUE(key_goes(at.server, "d22", 5s));
}

// The link is given up and the request is about to be sent again when the limit passes: the first sending may have been run.
TEST(Regress, D22_AnAttemptThatEndsBetweenTwoSendingsCleansUp) {
  lost_answer at{fault::black_hole(test::direction::to_client), 200ms};
  EXPECT_EQ(at.redis.acquire(std::nothrow, "d22", {.ttl = 60s, .wait = 300ms}).code(), errc::unreachable);
  at.between.pass();
  EXPECT_TRUE(key_goes(at.server, "d22", 10s));
}

// The server is away for longer than a caller would wait for a connection; the clean-up has the time to outlast that.
TEST(Regress, D22_ACleanUpOutlastsAFailureToConnect) {
  lost_answer at{fault::down(), 200ms, 300ms};
  EXPECT_EQ(at.redis.try_acquire("d22", {.ttl = 60s}).code(), errc::unreachable);
  ASSERT_EQ(at.server.number({"EXISTS", "d22"}), 1);
  std::this_thread::sleep_for(2s);  // several attempts to connect fail
  at.between.pass();
  EXPECT_TRUE(key_goes(at.server, "d22"));
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
