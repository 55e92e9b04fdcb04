// The call level: key, owner and ttl by hand, with an owner id that travels between clients and processes.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

struct call_level : testing::Test {
  redis_server server;
  client one{at(server)};
  client two{at(server)};
};

TEST_F(call_level, takes_extends_and_releases_across_clients) {
  const auto got = one.try_acquire("door", "request-7", 5s);
  ASSERT_TRUE(got);
  EXPECT_GT(got->fence, 0U);
  EXPECT_LT(got->validity, 5s);
  EXPECT_GT(got->validity, 3s);
  EXPECT_EQ(server.text({"GET", "door"}), "request-7");
  EXPECT_LE(server.number({"PTTL", "door"}), 5'000);
  EXPECT_TRUE(two.extend("door", "request-7", 50s)) << "another process may go on with the id";
  EXPECT_GT(server.number({"PTTL", "door"}), 40'000);
  EXPECT_TRUE(two.release("door", "request-7"));
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
}

TEST_F(call_level, only_the_owner_releases_or_extends) {
  ASSERT_TRUE(one.try_acquire("door", "me", 5s));
  for (const std::string owner : {"you", "m", "me ", "ME"}) {
    EXPECT_EQ(two.release("door", owner).code(), errc::not_owner);
    EXPECT_EQ(two.extend("door", owner, 100s).code(), errc::not_owner);
    EXPECT_EQ(two.try_acquire("door", owner, 100s).code(), errc::held);
  }
  EXPECT_LE(server.number({"PTTL", "door"}), 5'000) << "untouched";
  EXPECT_TRUE(one.release("door", "me"));
  EXPECT_EQ(one.release("door", "me").code(), errc::not_owner) << "not held at all";
  EXPECT_EQ(one.extend("door", "me", 5s).code(), errc::not_owner) << "extend does not create";
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
}

TEST_F(call_level, the_same_owner_takes_it_again_with_a_larger_fence) {
  const auto first = one.try_acquire("door", "me", 5s);
  const auto again = two.try_acquire("door", "me", 50s);
  ASSERT_TRUE(first && again);
  EXPECT_GT(again->fence, first->fence);
  EXPECT_GT(server.number({"PTTL", "door"}), 40'000);
}

TEST_F(call_level, is_not_renewed_and_not_released_with_the_client) {
  {
    client brief{at(server)};
    ASSERT_TRUE(brief.try_acquire("door", "me", 700ms));
  }
  EXPECT_EQ(server.text({"GET", "door"}), "me");
  EXPECT_TRUE(key_goes(server, "door"));
  EXPECT_EQ(one.stats().renewals, 0U);
}

TEST_F(call_level, uses_the_key_as_it_is) {
  settings how = at(server);
  how.prefix = "app:";
  client prefixed{how};
  ASSERT_TRUE(prefixed.try_acquire("door", "me", 5s));
  EXPECT_EQ(server.number({"EXISTS", "door"}), 1) << "no prefix";
  EXPECT_TRUE(prefixed.release("door", "me"));
}

TEST_F(call_level, and_leases_exclude_one_another) {
  lease held = one.acquire("door");
  EXPECT_EQ(two.try_acquire("door", "me", 5s).code(), errc::held);
  EXPECT_EQ(held.release(), release_outcome::released);
  ASSERT_TRUE(two.try_acquire("door", "me", 60s));
  EXPECT_EQ(one.acquire(std::nothrow, "door", {.wait = 100ms}).code(), errc::timed_out);
  EXPECT_TRUE(two.release("door", "me"));
}

TEST_F(call_level, a_release_hands_over_to_the_queue) {
  ASSERT_TRUE(one.try_acquire("door", "me", 60s));
  std::optional<lease> got;
  std::thread waiter{[&] { got = two.acquire("door"); }};
  EXPECT_TRUE(queue_reaches(server, "door", 1));
  EXPECT_TRUE(one.release("door", "me"));
  waiter.join();
  EXPECT_EQ(one.stats().handoffs_given, 1U);
  EXPECT_EQ(two.stats().handoffs_received, 1U);
  EXPECT_TRUE(*got);
}

}  // namespace
}  // namespace holdfast::test
