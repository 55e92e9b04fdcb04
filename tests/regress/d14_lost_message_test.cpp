// D14 (Redisson): a lost pub/sub message stalled the waiter for the rest of the lease.
#include <gtest/gtest.h>

#include <future>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D14_ALostGrantIsFoundByTheTimer) {
  redis_server server;
  gate between{server.port()};
  load_scripts(server);
  client first{quiet(server.url())};
  client second{quiet(between.url())};
  ASSERT_TRUE(second.ping());
  lease held = first.acquire("d14", {.ttl = 30s});
  auto waiter = std::async(std::launch::async, [&] {
    auto got = second.acquire(std::nothrow, "d14", {.ttl = 30s});
    const auto when = steady_clock::now();
    return std::pair{std::move(got), when};
  });
  ASSERT_TRUE(queue_has(server, "d14", 1));
  between.when_reply("$7\r\nmessage\r\n", fault::drop_reply(1));
  const auto released = steady_clock::now();
  ASSERT_EQ(held.release(), release_outcome::released);
  auto [got, when] = waiter.get();
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(between.triggered(), 1U) << "the message was there, and was lost";
  EXPECT_LT(when - released, 2500ms) << "a heartbeat (1 s), not the lease (30 s) nor the claim window (3 s)";
  EXPECT_EQ(second.stats().woken_by_timer, 1U);
  EXPECT_EQ(second.stats().woken_by_push, 0U);
  EXPECT_EQ(got->release(), release_outcome::released);
}

}  // namespace
}  // namespace holdfast::regress
