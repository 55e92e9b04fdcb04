// D10 (node-redlock): with an even number of nodes a split vote hung, and a lock was returned 514 ms past its own end.
#include <gtest/gtest.h>

#include <thread>

#include "regress/ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D10_ASplitVoteOfAnEvenNumberEndsAtOnce) {
  test::quorum_group nodes{{.nodes = 4}};
  client redis{nodes.where()};
  ASSERT_TRUE(redis.try_acquire("warm", {.ttl = 3000ms}));
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_EQ(nodes.node(i).text({"SET", "d10", "somebody", "PX", "3000"}), "OK");
  }
  const auto start = steady_clock::now();
  const auto got = redis.try_acquire("d10", {.ttl = 3000ms});
  EXPECT_LT(steady_clock::now() - start, 200ms);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::held) << got.failure().detail;
}

// Two of three nodes answer only after the lease would be over: whatever they say, it is no lock.
TEST(Regress, D10_NoLockIsReturnedPastItsEnd) {
  test::quorum_group nodes{{.nodes = 3, .gates = true}};
  settings how = nodes.where();
  how.node_timeout = 2000ms;
  client redis{how};
  ASSERT_TRUE(redis.try_acquire("warm", {.ttl = 3000ms}));
  nodes.node(0).pause();
  nodes.node(1).pause();
  std::jthread later{[&] {
    std::this_thread::sleep_for(400ms);
    nodes.node(0).resume();
    nodes.node(1).resume();
  }};
  const auto got = redis.try_acquire("d10", {.ttl = 300ms});
  EXPECT_FALSE(got);
  later.join();
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("d10") == 0; }));
}

}  // namespace
}  // namespace holdfast::regress
