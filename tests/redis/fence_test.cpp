// Fencing numbers: strictly increasing over whatever happens to the server, and no key of ours without an expiry.
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

struct fences : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  std::uint64_t last = 0;

  void above(std::uint64_t fence, const std::string& after) {
    EXPECT_GT(fence, last) << "after " << after;
    last = fence;
  }
  std::uint64_t draw() { return redis.acquire("door", {.wait = 10s}).fence(); }
};

TEST_F(fences, increase_over_acquisitions_of_all_forms) {
  for (int i = 0; i < 50; ++i) {
    above(draw(), "acquire");
    above(other.try_acquire("door").value().fence(), "try_acquire");
    const auto call = redis.try_acquire("door", "me", 5s);
    ASSERT_TRUE(call);
    above(call->fence, "the call level");
    ASSERT_TRUE(other.release("door", "me"));
    above(redis.acquire("door", {.queue = false}).fence(), "the unqueued mode");
  }
}

TEST_F(fences, increase_over_hand_offs) {
  for (int i = 0; i < 20; ++i) {
    lease held = redis.acquire("door");
    above(held.fence(), "acquire");
    auto next = std::async(std::launch::async, [&] { return other.acquire("door").fence(); });
    ASSERT_TRUE(queue_reaches(server, "door", 1));
    held.release();
    above(next.get(), "a hand-off");
  }
  EXPECT_EQ(other.stats().handoffs_received, 20U);
}

TEST_F(fences, increase_over_the_loss_of_everything) {
  for (int i = 0; i < 3; ++i) {
    above(draw(), "acquire");
    lease held = redis.acquire("door");
    above(held.fence(), "acquire");
    server.text({"FLUSHALL"});
    above(other.acquire("door", {.wait = 10s}).fence(), "FLUSHALL");
    server.text({"SCRIPT", "FLUSH"});
    above(draw(), "SCRIPT FLUSH");
    server.restart();
    ASSERT_TRUE(server.keys().empty());
    above(draw(), "a restart without data");
    server.kill();
    server.restart();
    above(draw(), "a crash without data");
  }
}

TEST_F(fences, increase_over_expiry_and_takeover_of_a_dead_holder) {
  for (int i = 0; i < 3; ++i) {
    const auto call = redis.try_acquire("door", "dead " + std::to_string(i), 150ms);
    ASSERT_TRUE(call);
    above(call->fence, "the call level");
    above(other.acquire("door", {.wait = 5s}).fence(), "an expiry");
  }
}

TEST_F(fences, are_shared_by_locks_of_one_tag) {
  for (int i = 0; i < 10; ++i) {
    above(redis.acquire("{user:7}:cart").fence(), "cart");
    above(redis.acquire("{user:7}:mail").fence(), "mail");
  }
  EXPECT_EQ(server.keys().size(), 1U) << "one counter per slot";
}

TEST_F(fences, survive_a_counter_that_is_ahead_of_the_clock) {
  above(draw(), "acquire");
  const auto keys = server.keys();
  ASSERT_EQ(keys.size(), 1U);
  const std::uint64_t ahead = last + 3'600'000'000;
  server.text({"SET", keys[0], std::to_string(ahead), "EX", "1000"});
  EXPECT_EQ(draw(), ahead + 1) << "exact, digit by digit";
  EXPECT_EQ(draw(), ahead + 2);
}

TEST_F(fences, and_all_other_keys_expire_and_the_rest_goes_with_the_last_release) {
  std::vector<std::future<void>> waiters;
  lease held = redis.acquire("door");
  for (int i = 0; i < 4; ++i) {
    waiters.push_back(std::async(std::launch::async, [&] { (void)other.acquire("door"); }));
  }
  ASSERT_TRUE(queue_reaches(server, "door", 4));
  ASSERT_TRUE(eventually(patience, [&] { return server.number({"EXISTS", "{door}:seen"}) == 1; })) << "after a second";
  EXPECT_EQ(server.keys().size(), 4U) << "lock, waiters, seen, fence";
  EXPECT_TRUE(server.keys_without_expiry().empty());
  held.release();
  for (auto& each : waiters) each.get();
  const auto left = server.keys();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_TRUE(left[0].starts_with("holdfast:fence:{")) << left[0];
  const auto ttl = server.number({"TTL", left[0]});
  EXPECT_GT(ttl, 600'000);
  EXPECT_LE(ttl, 604'800) << "a week";
}

}  // namespace
}  // namespace holdfast::test
