// Waiting for a lock on a quorum of real servers: woken by releases, cancelled, in turns, and when the votes split.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

constexpr std::chrono::milliseconds slack{200};  // no waiter ends later than so much after its limit

bool nothing_left(quorum_group& nodes) {
  return eventually(patience, [&] { return nodes.left_behind().empty(); });
}

TEST(QuorumWaiting, AReleaseInvitesTheNext) {
  quorum_group nodes;
  client one{nodes.where()};
  client two{nodes.where()};
  auto held = one.acquire("door", {.ttl = 3000ms});
  std::atomic<bool> got = false;
  std::jthread waiter{[&] {
    auto next = two.acquire("door", {.ttl = 3000ms});
    got = true;
  }};
  EXPECT_TRUE(queue_reaches(nodes.node(2), "door", 1));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(eventually(patience, [&] { return got.load(); }));
  EXPECT_LT(since(start), slack);  // the timer would look a second later at the earliest
  waiter.join();
  EXPECT_GE(two.stats().woken_by_push, 1U);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumWaiting, ACancelledWaiterLeavesNothing) {
  quorum_group nodes;
  client one{nodes.where()};
  client two{nodes.where()};
  auto held = one.acquire("door", {.ttl = 3000ms});
  std::stop_source stop;
  std::atomic<int> code{0};
  std::jthread waiter{[&] {
    options how{.ttl = 3000ms};
    how.stop = stop.get_token();
    code = static_cast<int>(two.acquire(std::nothrow, "door", how).code());
  }};
  EXPECT_TRUE(queue_reaches(nodes.node(0), "door", 1));
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(code, static_cast<int>(errc::cancelled));
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumWaiting, ManyTakeTurns) {
  quorum_group nodes{{.nodes = 4}};
  std::atomic<int> inside{0};
  std::atomic<int> overlaps{0};
  std::atomic<std::uint64_t> last{0};
  std::atomic<int> inversions{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      client redis{nodes.where()};
      for (int k = 0; k < 10; ++k) {
        auto held = redis.acquire("door", {.ttl = 3000ms});
        if (++inside != 1) ++overlaps;
        if (last.exchange(held.fence()) >= held.fence()) ++inversions;
        --inside;
        held.release();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(inversions, 0);
  EXPECT_TRUE(nothing_left(nodes));
}

// All ask at the same moment, on an even number of nodes, again and again: who has split the votes must not wait for a timer, of
// which the soonest looks after a second.
TEST(QuorumWaiting, SplitVotesEndFast) {
  constexpr int rounds = 20;
  constexpr int contenders = 4;
  quorum_group nodes{{.nodes = 4}};
  std::barrier together{contenders};
  std::vector<std::atomic<std::int64_t>> slowest(rounds);
  std::vector<std::jthread> threads;
  for (int i = 0; i < contenders; ++i) {
    threads.emplace_back([&] {
      client redis{nodes.where()};
      { auto warm = redis.acquire("warm", {.ttl = 3000ms}); }
      for (auto& round : slowest) {
        together.arrive_and_wait();
        const auto start = std::chrono::steady_clock::now();
        auto held = redis.acquire("door", {.ttl = 3000ms});
        const std::int64_t took = since(start) / 1ms;
        held.release();
        for (auto seen = round.load(); seen < took && !round.compare_exchange_weak(seen, took);) continue;
      }
    });
  }
  threads.clear();
  for (const auto& each : slowest) EXPECT_LT(each, 800) << "ms";
  EXPECT_TRUE(nothing_left(nodes));
}

// Whoever has the lock is not to be invited, in the place of somebody who waits.
TEST(QuorumWaiting, WhoeverWinsLeavesTheListsOfThoseThatVotedAgainst) {
  quorum_group nodes{{.nodes = 3}};
  ASSERT_EQ(nodes.node(0).text({"SET", "door", "somebody", "PX", "60000"}), "OK");
  client redis{nodes.where()};
  { auto warm = redis.acquire("warm", {.ttl = 3000ms}); }  // it hears messages from now on
  auto held = redis.acquire("door", {.ttl = 3000ms});
  std::this_thread::sleep_for(100ms);  // that node may not have been waited for
  EXPECT_GT(nodes.node(0).command_calls("zadd"), 0);
  EXPECT_TRUE(queue_reaches(nodes.node(0), "door", 0));
  EXPECT_EQ(nodes.owner_at(0, "door"), "somebody");
  EXPECT_EQ(held.release(), release_outcome::released);
}

TEST(QuorumWaiting, ALimitIsKeptWhileAnotherHolds) {
  quorum_group nodes{{.nodes = 3}};
  client one{nodes.where()};
  client two{nodes.where()};
  auto held = one.acquire("door", {.ttl = 3000ms});
  for (const auto limit : {50ms, 300ms, 700ms}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(two.acquire(std::nothrow, "door", {.ttl = 3000ms, .wait = limit}).code(), errc::timed_out);
    EXPECT_GE(since(start), limit);
    EXPECT_LT(since(start), limit + slack);
  }
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
}

}  // namespace
}  // namespace holdfast::test
