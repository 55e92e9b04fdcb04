// Holders of the plain SET NX PX layout on the same key (redis-cli, redsync, ...; here hiredis): excluded both ways, and
// our waiters follow them soon although they hand nothing over.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

using steady = std::chrono::steady_clock;

struct foreign_holder : testing::Test {
  redis_server server;
  client redis{at(server)};
  bool set_nx(const std::string& owner, long long ms) {
    return server.text({"SET", "door", owner, "NX", "PX", std::to_string(ms)}) == "OK";
  }
  // Starts to wait; the value is when the lock came.
  std::future<steady::time_point> wait_for_lock() {
    return std::async(std::launch::async, [this] {
      const lease mine = redis.acquire("door");
      return steady::now();
    });
  }
};

TEST_F(foreign_holder, is_respected) {
  ASSERT_TRUE(set_nx("redis-cli", 60'000));
  const auto tried = redis.try_acquire("door");
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::held);
  EXPECT_TRUE(has(tried.failure().detail, "redis-cli")) << tried.failure().detail;
  EXPECT_EQ(redis.acquire(std::nothrow, "door", {.wait = 300ms}).code(), errc::timed_out);
  EXPECT_EQ(redis.acquire(std::nothrow, "door", {.wait = 300ms, .queue = false}).code(), errc::timed_out);
  EXPECT_EQ(server.text({"GET", "door"}), "redis-cli");
  EXPECT_GT(server.number({"PTTL", "door"}), 50'000);
}

TEST_F(foreign_holder, is_kept_out_while_we_hold) {
  lease held = redis.acquire("door");
  EXPECT_FALSE(set_nx("redis-cli", 60'000));
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(set_nx("redis-cli", 60'000));
}

TEST_F(foreign_holder, that_deletes_its_key_is_followed_soon) {
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(set_nx("redis-cli", 60'000));
    auto came = wait_for_lock();
    ASSERT_TRUE(queue_reaches(server, "door", 1));
    const auto released = steady::now();
    server.number({"DEL", "door"});
    ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
    EXPECT_LE(came.get() - released, 200ms);
    EXPECT_TRUE(key_goes(server, "door"));
  }
}

TEST_F(foreign_holder, whose_key_expires_is_followed_at_once) {
  for (int round = 0; round < 3; ++round) {
    const auto before = steady::now();
    ASSERT_TRUE(set_nx("redis-cli", 500));
    const auto after = steady::now();
    auto came = wait_for_lock();
    ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
    const auto got = came.get();
    EXPECT_GE(got - before, 499ms);
    EXPECT_LE(got - after, 600ms) << "within 100 ms of the expiry";
    EXPECT_TRUE(key_goes(server, "door"));
  }
}

TEST_F(foreign_holder, is_not_polled_hot) {
  ASSERT_TRUE(set_nx("redis-cli", 60'000));
  auto came = wait_for_lock();
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  const auto before = scripts_run(server);
  std::this_thread::sleep_for(1s);
  EXPECT_LE(scripts_run(server) - before, 45) << "every 25 to 75 ms";
  server.number({"DEL", "door"});
  ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
}

TEST_F(foreign_holder, without_expiry_is_respected_and_named) {
  server.text({"SET", "door", "careless"});
  const auto tried = redis.acquire(std::nothrow, "door", {.wait = 200ms});
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::timed_out);
  EXPECT_TRUE(has(tried.failure().detail, "careless") && has(tried.failure().detail, "without expiry"))
      << tried.failure().detail;
  EXPECT_EQ(server.number({"TTL", "door"}), -1) << "not ours to change";
}

}  // namespace
}  // namespace holdfast::test
