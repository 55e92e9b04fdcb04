// Quorums with nodes that are slow, silent for a while, or new to the scripts: nobody waits for a minority, and what it did
// late is taken back. The leases are longer than any test waits, so that nothing goes by lapsing.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/quorum_common.hpp"
#include "support/redis_connection.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds slack{200};  // what a call may take beyond its limit
constexpr std::chrono::milliseconds long_ttl{60'000};

quorum_shape gated(std::size_t nodes) { return {.nodes = nodes, .max_ttl = long_ttl, .gates = true}; }

// With connections to all nodes, which know the scripts.
void warm_up(client& redis, quorum_group& nodes) {
  for (int i = 0; i < 3; ++i) {
    auto held = redis.acquire("warm", {.ttl = long_ttl});
    ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("warm") == nodes.size(); }));
    ASSERT_EQ(held.release(), release_outcome::released);
    ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("warm") == 0; }));
  }
}

TEST(QuorumSlow, AMinorityThatIsSlowDelaysNeitherAcquireNorRelease) {
  quorum_group nodes{gated(5)};
  client redis{nodes.where()};
  warm_up(redis, nodes);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::delay(400ms));
  auto start = steady_clock::now();
  auto held = redis.try_acquire("door", {.ttl = long_ttl});
  EXPECT_LT(steady_clock::now() - start, slack);
  ASSERT_TRUE(held) << held.failure().detail;
  start = steady_clock::now();
  EXPECT_EQ(held->release(), release_outcome::released);
  EXPECT_LT(steady_clock::now() - start, slack);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumSlow, ARefusalDoesNotWaitForTheSlow) {
  quorum_group nodes{gated(5)};
  client redis{nodes.where()};
  warm_up(redis, nodes);
  for (const std::size_t i : {0U, 1U, 2U}) {
    ASSERT_EQ(nodes.node(i).text({"SET", "door", "somebody", "PX", "60000"}), "OK");
  }
  for (const std::size_t i : {3U, 4U}) nodes.door(i).set(fault::delay(400ms));
  const auto start = steady_clock::now();
  const auto got = redis.try_acquire("door", {.ttl = long_ttl});
  EXPECT_LT(steady_clock::now() - start, slack);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::held) << got.failure().detail;
  // What the slow ones grant after that goes again: only somebody's three votes stay.
  std::this_thread::sleep_for(500ms);
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 3; })) << nodes.holding("door");
}

TEST(QuorumSlow, TheLeaseCountsFromBeforeTheSending) {
  quorum_group nodes{gated(3)};
  client redis{nodes.where()};
  warm_up(redis, nodes);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::delay(100ms));
  const auto start = steady_clock::now();
  auto held = redis.try_acquire("door", {.ttl = 10s, .stop_margin = 0ms});
  ASSERT_TRUE(held) << held.failure().detail;
  const auto left = held->remaining();
  const auto gone = steady_clock::now() - start;
  EXPECT_GE(gone, 200ms);  // there and back
  // 1 % and 2 ms are spared for the clocks; 20 ms for what lies between our two looks and its own.
  EXPECT_LE(left, 10s - 200ms - 100ms - 2ms);
  EXPECT_GE(left, 10s - gone - 100ms - 2ms - 20ms);
}

// Its votes are given and on their way back when it is cancelled. (D22)
TEST(QuorumSlow, ACancelledAttemptTakesItsVotesBack) {
  quorum_group nodes{gated(5)};
  client redis{nodes.where()};
  warm_up(redis, nodes);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::delay(200ms));
  std::stop_source stop;
  auto attempt = std::async(std::launch::async, [&] {
    options how{.ttl = long_ttl};
    how.stop = stop.get_token();
    return redis.acquire(std::nothrow, "door", how).code();
  });
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") >= 3; }));
  const auto start = steady_clock::now();
  stop.request_stop();
  EXPECT_EQ(attempt.get(), errc::cancelled);
  EXPECT_LT(steady_clock::now() - start, slack);
  EXPECT_TRUE(nothing_left(nodes));
}

// And when it never hears of them: after the link has been found dead, on a new one.
TEST(QuorumSlow, VotesGivenUnheardAreTakenBackAfterACancellation) {
  quorum_group nodes{gated(3)};
  settings how = nodes.where();
  how.command_timeout = 500ms;
  client redis{how};
  warm_up(redis, nodes);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::black_hole(direction::to_client));
  std::stop_source stop;
  auto attempt = std::async(std::launch::async, [&] {
    options wanted{.ttl = long_ttl};
    wanted.stop = stop.get_token();
    return redis.acquire(std::nothrow, "door", wanted).code();
  });
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 3; }));
  stop.request_stop();
  EXPECT_EQ(attempt.get(), errc::cancelled);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumSlow, AReleaseReachesANodeThatWasAway) {
  quorum_group nodes{gated(5)};
  settings how = nodes.where();
  how.command_timeout = 500ms;
  client redis{how};
  auto held = redis.acquire("door", {.ttl = long_ttl});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 5; }));
  nodes.door(0).set(fault::black_hole(direction::both));
  EXPECT_EQ(held.release(), release_outcome::released);
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 1; }));
  nodes.door(0).set(fault::cut());  // no stream goes on after a hole
  EXPECT_TRUE(nothing_left(nodes));
}

// A node answers late, and has never heard of the scripts: the lock is asked for again before it says so. Were the release by
// hash, it would have to be sent once more and come after the second acquire, which then finds the first one's vote.
TEST(QuorumSlow, AReleaseIsNotOvertakenWhereTheScriptIsNew) {
  quorum_group nodes{gated(3)};
  client redis{nodes.where()};
  ASSERT_TRUE(redis.ping());
  {
    auto held = redis.acquire("door", {.ttl = long_ttl});
    ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 3; })) << nodes.holding("door");
    nodes.door(2).set(fault::delay(100ms));
    EXPECT_EQ(held.release(), release_outcome::released);
  }
  nodes.node(0).kill();
  const auto got = redis.try_acquire("door", {.ttl = long_ttl});
  EXPECT_TRUE(got) << got.failure().detail;
}

// A client that lost its link with a request on it has the server close the old one. The new process counts from 1 again: there
// that number is somebody else's.
TEST(QuorumSlow, AfterARestartNobodyElsesConnectionIsClosed) {
  quorum_group nodes{gated(3)};
  client redis{nodes.where()};
  warm_up(redis, nodes);
  nodes.node(0).pause();
  EXPECT_TRUE(redis.try_acquire("door", {.ttl = long_ttl}));  // asks that node as well, which does not answer
  nodes.door(0).set(fault::refuse());                         // the others are to be there first
  nodes.node(0).kill();
  nodes.node(0).restart();
  std::vector<redis_connection> others;
  for (int i = 0; i < 20; ++i) {
    others.push_back(redis_connection::tcp(nodes.node(0).port(), patience));
    ASSERT_EQ(others.back().text({"PING"}), "PONG");
  }
  nodes.door(0).pass();
  ASSERT_TRUE(eventually(patience, [&] {
    static_cast<void>(redis.try_acquire("other", {.ttl = long_ttl}));
    return nodes.node(0).text({"CLIENT", "LIST"}).find("name=holdfast") != std::string::npos;
  }));
  std::this_thread::sleep_for(100ms);  // for what it says next
  for (auto& each : others) EXPECT_EQ(each.text({"PING"}), "PONG");
}

}  // namespace
}  // namespace holdfast::test
