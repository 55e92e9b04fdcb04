// Every field of holdfast::options, each with a test that shows its effect on a real server.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <regex>
#include <stop_token>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

using steady = std::chrono::steady_clock;

struct option : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  std::atomic<int> lost_by{-1};
  std::function<void(const loss&)> note_loss = [this](const loss& what) { lost_by = static_cast<int>(what.cause); };
  bool lost(loss_cause cause) {
    return eventually(patience, [&] { return lost_by == static_cast<int>(cause); });
  }
};

TEST_F(option, ttl_is_the_keys_expiry) {
  const lease standard = redis.acquire("standard");
  EXPECT_LE(server.number({"PTTL", "standard"}), 30'000);
  EXPECT_GT(server.number({"PTTL", "standard"}), 25'000);
  const lease held = redis.acquire("door", {.ttl = 5s});
  EXPECT_LE(server.number({"PTTL", "door"}), 5'000);
  EXPECT_GT(server.number({"PTTL", "door"}), 3'000);
  const lease long_one = redis.acquire("year", {.ttl = std::chrono::hours{24 * 365}});
  EXPECT_GT(server.number({"PTTL", "year"}), 31'535'900'000);
  EXPECT_GT(long_one.remaining(), std::chrono::hours{24 * 350});
}

TEST_F(option, wait_limits_the_call) {
  const lease held = redis.acquire("door");
  for (const bool queue : {true, false}) {
    const auto start = steady::now();
    const auto tried = other.acquire(std::nothrow, "door", {.wait = 300ms, .queue = queue});
    const auto took = since(start);
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.code(), errc::timed_out);
    EXPECT_GE(took, 300ms);
    EXPECT_LE(took, 500ms);
  }
  EXPECT_TRUE(queue_reaches(server, "door", 0));
}

TEST_F(option, renew_keeps_the_lease_beyond_its_ttl) {
  lease held = redis.acquire("door", {.ttl = 1200ms, .on_lost = note_loss});
  std::this_thread::sleep_for(2500ms);
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_GE(redis.stats().renewals, 2U);
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(lost_by, -1);
}

TEST_F(option, renew_off_ends_the_lease_after_its_ttl) {
  const auto start = steady::now();
  lease held = redis.acquire("door", {.ttl = 600ms, .renew = false, .on_lost = note_loss});
  ASSERT_TRUE(lost(loss_cause::expired));
  EXPECT_GE(since(start), 450ms) << "ttl less a tenth, 1 % and 2 ms";
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(redis.stats().renewals, 0U);
  EXPECT_TRUE(key_goes(server, "door"));
}

TEST_F(option, renew_off_gives_a_waiter_its_whole_ttl) {
  lease first = other.acquire("door");
  auto second = std::async(std::launch::async, [&] { return redis.acquire("door", {.ttl = 20s, .renew = false}); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  first.release();
  ASSERT_EQ(second.wait_for(patience), std::future_status::ready);
  const lease held = second.get();
  EXPECT_TRUE(eventually(patience, [&] { return server.number({"PTTL", "door"}) > 15'000; }));
  EXPECT_TRUE(eventually(patience, [&] { return held.remaining() > 14s; }));
}

TEST_F(option, max_hold_ends_a_renewed_lease) {
  const auto start = steady::now();
  lease held = redis.acquire("door", {.ttl = 600ms, .max_hold = 1500ms, .on_lost = note_loss});
  ASSERT_TRUE(eventually(patience, [&] { return !held; }));
  const auto took = since(start);
  EXPECT_GE(took, 1200ms);
  EXPECT_LE(took, 1700ms);
  EXPECT_TRUE(lost(loss_cause::max_hold)) << "cause " << lost_by;
  EXPECT_GE(redis.stats().renewals, 1U);
  EXPECT_TRUE(eventually(1s, [&] { return server.number({"EXISTS", "door"}) == 0; }));
}

TEST_F(option, max_hold_below_ttl_frees_the_lock_on_the_server_too) {
  const auto start = steady::now();
  lease stuck = redis.acquire("door", {.ttl = 30s, .max_hold = 600ms, .on_lost = note_loss});
  const lease next = other.acquire("door", {.wait = 10s});
  EXPECT_GE(since(start), 400ms);
  EXPECT_LE(since(start), 800ms) << "a stuck holder keeps the lock for max_hold and no longer";
  EXPECT_EQ(stuck.state(), lease_state::LOST);
  EXPECT_TRUE(lost(loss_cause::max_hold)) << "cause " << lost_by;
}

TEST_F(option, stop_margin_is_the_time_between_the_signal_and_the_servers_expiry) {
  const lease wide = redis.acquire("wide", {.ttl = 2s, .renew = false, .stop_margin = 900ms});
  EXPECT_LE(wide.remaining(), 1078ms);
  const lease narrow = redis.acquire("narrow", {.ttl = 20s, .renew = false, .stop_margin = 0ms});
  EXPECT_GT(narrow.remaining(), 18s);
  EXPECT_LE(narrow.remaining(), 19'798ms);
  const lease standard = redis.acquire("standard", {.ttl = 20s, .renew = false});
  EXPECT_LE(standard.remaining(), 18'798ms) << "a tenth of ttl, at most 1 s";
  ASSERT_TRUE(eventually(patience, [&] { return !wide; }));
  EXPECT_GT(server.number({"PTTL", "wide"}), 400) << "the server still had most of the margin left";
}

TEST_F(option, prefix_stands_before_the_name) {
  const lease held = redis.acquire("door", {.prefix = "app:"});
  EXPECT_EQ(held.key(), "app:door");
  EXPECT_EQ(held.name(), "door");
  EXPECT_EQ(server.number({"EXISTS", "app:door"}), 1);
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
  settings how = at(server);
  how.prefix = "app:";
  client prefixed{how};
  const auto tried = prefixed.try_acquire("door");
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::held) << "the client's prefix makes the same key";
  EXPECT_TRUE(prefixed.try_acquire("door", {.prefix = ""})) << "the option wins over the client's";
  EXPECT_TRUE(client{at(server.url() + "?prefix=x:")}.acquire("door").key() == "x:door");
}

TEST_F(option, owner_is_what_the_key_holds) {
  const lease held = redis.acquire("door", {.owner = "request 7"});
  EXPECT_EQ(held.owner(), "request 7");
  EXPECT_EQ(server.text({"GET", "door"}), "request 7");
  EXPECT_TRUE(other.try_acquire("door", {.owner = "request 7"})) << "the same owner is the same acquisition";
}

TEST_F(option, owner_is_made_anew_for_each_acquisition) {
  const lease one = redis.acquire("one");
  const lease two = redis.acquire("two");
  const std::regex form{"[^:]+:" + std::to_string(::getpid()) + ":[0-9a-f]{32}"};
  EXPECT_TRUE(std::regex_match(std::string{one.owner()}, form)) << one.owner();
  EXPECT_TRUE(std::regex_match(std::string{two.owner()}, form)) << two.owner();
  EXPECT_NE(one.owner(), two.owner());
  EXPECT_EQ(server.text({"GET", "one"}), one.owner());
}

TEST_F(option, fence_off_draws_no_number) {
  lease held = redis.acquire("door", {.fence = false});
  EXPECT_EQ(held.fence(), 0U);
  EXPECT_EQ(server.keys(), std::vector<std::string>{"door"}) << "no counter";
  auto next = std::async(std::launch::async, [&] { return other.acquire("door", {.fence = false}).fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  held.release();
  EXPECT_EQ(next.get(), 0U) << "nor through the queue";
  EXPECT_GT(redis.acquire("door").fence(), 0U);
}

TEST_F(option, queue_off_polls_and_leaves_no_entry) {
  lease held = redis.acquire("door");
  auto next = std::async(std::launch::async, [&] { return other.acquire("door", {.queue = false}).fence(); });
  const auto before = scripts_run(server);
  ASSERT_TRUE(eventually(patience, [&] { return scripts_run(server) >= before + 3; })) << "it asks again and again";
  EXPECT_EQ(server.number({"EXISTS", waiters_of("door")}), 0);
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(redis.stats().handoffs_given, 0U);
  ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
  EXPECT_GT(next.get(), held.fence());
  EXPECT_EQ(other.stats().handoffs_received, 0U);
}

TEST_F(option, retry_sets_the_pace_of_polling) {
  const lease held = redis.acquire("door", {.ttl = 60s});
  const auto tries = [&](backoff pace) {
    const auto before = scripts_run(server);
    EXPECT_FALSE(other.acquire(std::nothrow, "door", {.wait = 1s, .queue = false, .retry = pace}));
    return scripts_run(server) - before;
  };
  const auto often = tries({.first = 10ms, .most = 10ms});
  EXPECT_GE(often, 30);
  EXPECT_LE(often, 101);
  const auto seldom = tries({.first = 300ms, .most = 300ms});
  EXPECT_GE(seldom, 2);
  EXPECT_LE(seldom, 5);
  const auto growing = tries({.first = 10ms, .most = 400ms});
  EXPECT_LT(growing, often) << "pauses grow from first to most";
  EXPECT_GE(growing, 3);
}

TEST_F(option, on_lost_is_called_with_the_cause) {
  const lease held = redis.acquire("door", {.ttl = 600ms, .on_lost = note_loss});
  server.number({"DEL", "door"});
  EXPECT_TRUE(lost(loss_cause::gone));
}

TEST_F(option, stop_ends_the_wait_and_not_the_lease) {
  std::stop_source stop;
  lease held = redis.acquire("door", {.stop = stop.get_token()});
  auto waiting = std::async(std::launch::async,
                            [&] { return other.acquire(std::nothrow, "door", {.stop = stop.get_token()}).code(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  stop.request_stop();
  ASSERT_EQ(waiting.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(waiting.get(), errc::cancelled);
  EXPECT_TRUE(queue_reaches(server, "door", 0));
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_EQ(other.acquire(std::nothrow, "free", {.stop = stop.get_token()}).code(), errc::cancelled)
      << "requested before the call";
  EXPECT_EQ(held.release(), release_outcome::released);
}

}  // namespace
}  // namespace holdfast::test
