// holdfast::examine as a call: what it refuses, and what it does to the client it borrows.
#include <gtest/gtest.h>
#include <holdfast/doctor.hpp>

#include <algorithm>
#include <optional>
#include <thread>

#include "redis/common.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

const examine_options brief{.clock_watch = 50ms, .pings = 5};

const finding& find(const diagnosis& all, const std::string& id) {
  const auto found =
      std::find_if(all.findings.begin(), all.findings.end(), [&](const finding& each) { return each.id == id; });
  if (found == all.findings.end()) throw std::runtime_error{"no finding " + id};
  return *found;
}

TEST(Examine, RefusesOptionsThatMakeNoSense) {
  redis_server server;
  client redis{at(server)};
  for (const examine_options& how :
       {examine_options{.clock_watch = -1ms}, examine_options{.clock_watch = 61s}, examine_options{.pings = 0},
        examine_options{.pings = 10'001}, examine_options{.ttl = 0ms}}) {
    const auto got = examine(redis, how);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.code(), errc::bad_option);
  }
}

TEST(Examine, WatchesTheClockForAsLongAsItIsTold) {
  redis_server server;
  client redis{at(server)};
  const auto start = std::chrono::steady_clock::now();
  const auto got = examine(redis, {.clock_watch = 400ms, .pings = 1});
  EXPECT_GE(since(start), 390ms);
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(find(*got, "clock_steps").how_bad, severity::fine) << find(*got, "clock_steps").seen;
  EXPECT_TRUE(has(find(*got, "round_trip").seen, "over 1 PINGs"));
}

TEST(Examine, DoesNotDisturbTheLocksOfItsClient) {
  redis_server server;
  for (const int protocol : {3, 2}) {
    settings where = at(server);
    where.protocol = protocol;
    client redis{where};
    client other{where};
    auto held = redis.acquire("x", {.ttl = 600ms});
    std::optional<lease> next;
    std::jthread waiter{[&] { next.emplace(other.acquire("x", {.ttl = 600ms, .wait = patience})); }};
    ASSERT_TRUE(queue_reaches(server, "x", 1));
    const auto got = examine(redis, {.clock_watch = 1s, .pings = 50});
    ASSERT_TRUE(got) << got.failure().detail;
    EXPECT_EQ(find(*got, "protocol").how_bad, protocol == 3 ? severity::fine : severity::notice);
    EXPECT_EQ(held.state(), lease_state::VALID) << "it was renewed meanwhile";
    held.release();
    waiter.join();
    EXPECT_EQ(other.stats().woken_by_push, 1U) << "the inbox still works";
    EXPECT_EQ(redis.stats().reconnects, 0U);
  }
}

TEST(Examine, SeveralAtOnceAgree) {
  redis_server server{{.config = {"maxmemory-policy allkeys-lru"}}};
  client redis{at(server)};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto got = examine(redis, brief);
      ASSERT_TRUE(got) << got.failure().detail;
      EXPECT_EQ(got->worst(), severity::danger);
      EXPECT_EQ(find(*got, "acl").how_bad, severity::fine) << find(*got, "acl").seen;
    });
  }
}

TEST(Examine, AServerThatIsGoneIsAFailure) {
  redis_server server;
  settings where = at(server);
  where.connect_timeout = 500ms;
  client redis{where};
  ASSERT_TRUE(examine(redis, brief));
  server.stop();
  const auto got = examine(redis, brief);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
}

TEST(Examine, TheChildOfAForkIsRefused) {
  redis_server server;
  client redis{at(server)};
  ASSERT_TRUE(redis.ping());
  auto child = fork_child([&] { return examine(redis, brief).code() == errc::forked ? 0 : 1; });
  const auto ended = child.wait(patience);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 0);
}

// One concept in one place: the warning on connect and the finding have the same words.
TEST(Examine, SaysWhatTheWarningOnConnectSays) {
  redis_server server{{.config = {"maxmemory-policy allkeys-lru"}}};
  settings where = at(server);
  std::mutex guard;
  std::vector<warning> told;
  where.on_warning = [&](const warning& each) {
    const std::lock_guard hold{guard};
    told.push_back(each);
  };
  client redis{where};
  const auto got = examine(redis, brief);
  ASSERT_TRUE(got) << got.failure().detail;
  ASSERT_TRUE(eventually(patience, [&] {
    const std::lock_guard hold{guard};
    return !told.empty();
  }));
  const finding& eviction = find(*got, "eviction");
  const std::lock_guard hold{guard};
  EXPECT_EQ(told[0].what, eviction.seen + ": " + eviction.why);
  EXPECT_EQ(told[0].fix, eviction.fix);
}

}  // namespace
}  // namespace holdfast::test
