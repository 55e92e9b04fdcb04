// D9 (node-redlock): the loss was signalled 1,338 ms after the key had expired, when another could long hold the lock.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "regress/ground.hpp"
#include "support/boottime.hpp"

namespace holdfast::regress {
namespace {

using test::boottime_ns;

void expect_signal_before_expiry(test::direction lost_way) {
  redis_server server;
  gate between{server.port()};
  load_scripts(server);
  client redis{quiet(between.url())};
  std::atomic<std::int64_t> told{0};
  std::atomic<std::int64_t> token_told{0};
  const lease held = redis.acquire("d9", {.ttl = 2s, .on_lost = [&](const loss& what) {
                                            EXPECT_EQ(what.cause, loss_cause::expired);
                                            told = boottime_ns();
                                          }});
  const std::stop_callback watch{held.lost(), [&] { token_told = boottime_ns(); }};
  const auto start = boottime_ns();
  between.set(fault::black_hole(lost_way));
  // The last moment at which the key is known to have been there: the question was asked then and answered with yes.
  std::int64_t last_there = 0;
  for (;;) {
    const auto asked = boottime_ns();
    if (server.number({"EXISTS", "d9"}) == 0) break;
    last_there = asked;
    ASSERT_LT(asked - start, 30'000'000'000) << "the key never went";
  }
  ASSERT_NE(told, 0) << "the key expired and the holder had not been told";
  EXPECT_LE(told, last_there);
  ASSERT_NE(token_told, 0);
  EXPECT_LE(token_told, last_there);
  EXPECT_GE(told - start, 500'000'000) << "silence is no reason to give up what is still ours";
}

TEST(Regress, D9_LossIsSignalledBeforeExpiryWhenNothingGetsThrough) {
  expect_signal_before_expiry(test::direction::both);
}

TEST(Regress, D9_LossIsSignalledBeforeExpiryWhenRequestsAreLost) {
  expect_signal_before_expiry(test::direction::to_server);
}

TEST(Regress, D9_LossIsSignalledBeforeExpiryWhenAnswersAreLost) {
  expect_signal_before_expiry(test::direction::to_client);
}

}  // namespace
}  // namespace holdfast::regress
