// Options that make no sense on a quorum are refused before any node is asked.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// A connection for WAIT would have gone to no node of it.
TEST(QuorumOptions, ReplicasAreRefused) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  const options how{.ttl = 1000ms, .replicas = 1};
  const auto got = redis.try_acquire("door", how);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::bad_option);
  EXPECT_NE(got.failure().detail.find("replicas"), std::string::npos) << got.failure().detail;
  EXPECT_EQ(redis.acquire(std::nothrow, "door", how).code(), errc::bad_option);
  try {
    const mutex made{redis, "door", how};
    ADD_FAILURE() << "not refused";
  } catch (const error& problem) {
    EXPECT_EQ(problem.kind(), errc::bad_option);
  }
  // None is what every lock asks for.
  EXPECT_TRUE(redis.try_acquire("door", {.ttl = 1000ms, .replicas = 0}));
}

}  // namespace
}  // namespace holdfast::test
