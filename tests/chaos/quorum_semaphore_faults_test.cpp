// A semaphore on a quorum whose nodes are cut off, slow or restarted while permits are taken: never more holders than permits, by their
// own clocks; and fences that increase.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "redis/quorum_common.hpp"
#include "support/boottime.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t permits = 3;

// Who believed to hold how many from when to when; and the greatest fence that had been used when an attempt began.
class register_of_holds {
 public:
  std::uint64_t greatest() {
    const std::lock_guard lock{guard_};
    return greatest_;
  }
  void came(std::uint64_t before, std::uint64_t fence) {
    const std::lock_guard lock{guard_};
    if (fence <= before) ++inversions_;
    greatest_ = std::max(greatest_, fence);
  }
  void held(std::int64_t start, std::int64_t end, std::int64_t count) {
    const std::lock_guard lock{guard_};
    changes_.push_back({start, count});
    changes_.push_back({end, -count});
  }
  // At the same moment whoever leaves goes first.
  std::int64_t most_at_once() {
    const std::lock_guard lock{guard_};
    std::ranges::sort(
        changes_, [](const change& a, const change& b) { return a.when != b.when ? a.when < b.when : a.by < b.by; });
    std::int64_t inside = 0;
    std::int64_t most = 0;
    for (const change& each : changes_) most = std::max(most, inside += each.by);
    return most;
  }
  int inversions() {
    const std::lock_guard lock{guard_};
    return inversions_;
  }

 private:
  struct change {
    std::int64_t when;
    std::int64_t by;
  };
  std::mutex guard_;
  std::vector<change> changes_;
  std::uint64_t greatest_ = 0;
  int inversions_ = 0;
};

struct load {
  explicit load(quorum_group& on) : nodes{on} {
    for (unsigned i = 0; i < 4; ++i) threads.emplace_back([this, i] { work(1 + i % 2); });
  }
  void work(std::uint64_t wanted) {
    client redis{nodes.where()};
    semaphore pool{redis, "pool", permits, {.ttl = 800ms}};
    while (!over) {
      const std::uint64_t before = seen.greatest();
      auto got = pool.take(std::nothrow, wanted, {.ttl = 800ms, .wait = 1000ms});
      if (!got) continue;  // a node or two may be away or young: that costs time, not safety
      const auto start = boottime_ns();
      const auto believed = start + got->remaining().count();
      seen.came(before, got->fence());
      std::this_thread::sleep_for(2ms);
      const auto end = got->state() == lease_state::LOST ? believed : boottime_ns();
      if (end > start) seen.held(start, end, static_cast<std::int64_t>(wanted));
      ++holds;
      static_cast<void>(got->release());
    }
  }
  bool goes_on() {
    return eventually(patience, [&, before = holds.load()] { return holds > before + 3; });
  }
  void end() {
    over = true;
    threads.clear();
    EXPECT_LE(seen.most_at_once(), permits);
    EXPECT_EQ(seen.inversions(), 0);
    EXPECT_GT(holds, 10);
    EXPECT_TRUE(nodes.without_expiry().empty());
    EXPECT_TRUE(nothing_left(nodes)) << testing::PrintToString(nodes.left_behind());
  }

  quorum_group& nodes;
  register_of_holds seen;
  std::atomic<bool> over = false;
  std::atomic<int> holds = 0;
  std::vector<std::jthread> threads;
};

TEST(QuorumSemaphoreFaults, TwoBlackHoledNodesOfFiveHinderNobody) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 2, {.ttl = 3000ms}};
  { const lease warm = pool.take(); }
  nodes.door(0).set(fault::black_hole(direction::both));
  nodes.door(1).set(fault::black_hole(direction::both));
  for (int i = 0; i < 20; ++i) {
    auto got = pool.take(std::nothrow, 2, {.ttl = 3000ms, .wait = 5s});
    ASSERT_TRUE(got) << i << ": " << got.failure().detail;
    EXPECT_EQ(got->release(), release_outcome::released);
  }
  EXPECT_TRUE(pool.set_capacity(std::nothrow, 3));
  EXPECT_TRUE(pool.try_take(3));
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::cut());
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("pool") == 0; }));
}

TEST(QuorumSemaphoreFaults, ThreeBlackHoledNodesOfFiveEndWaitsInTime) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 2, {.ttl = 3000ms}};
  { const lease warm = pool.take(); }
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::both));
  const auto start = std::chrono::steady_clock::now();
  const auto got = pool.take(std::nothrow, 1, {.ttl = 3000ms, .wait = 600ms});
  const auto took = std::chrono::steady_clock::now() - start;
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  EXPECT_LT(took, 600ms + 400ms);
  EXPECT_EQ(pool.set_capacity(std::nothrow, 3).code(), errc::unreachable);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("pool") == 0; }));
}

// The votes arrive, the answers do not: what was granted unheard must not stay.
TEST(QuorumSemaphoreFaults, VotesWhoseAnswersAreLostAreTakenBack) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 2, {.ttl = 3000ms, .renew = false}};
  { const lease warm = pool.take(); }
  ASSERT_TRUE(nothing_left(nodes));
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::to_client));
  const auto got = pool.try_take();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  EXPECT_TRUE(eventually(2000ms, [&] { return nodes.holding("pool") == 0; }));
}

// A waiter that is gone without a word is passed over: the next one is invited in the same step.
TEST(QuorumSemaphoreFaults, AWaiterThatCrashedHindersNobody) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 60s}};
  client redis{nodes.where()};
  semaphore pool{redis, "pool", 1, {.ttl = 60s}};
  std::optional<lease> held = pool.take();
  for (std::size_t i = 0; i < 3; ++i) {
    nodes.node(i).number({"ZADD", "{pool}:waiters", "1", "1*3000:00000000000000aa:7:dead"});
    nodes.node(i).number({"PEXPIRE", "{pool}:waiters", "15000"});
  }
  std::jthread waiter{[&] { const lease next = pool.take(); }};
  ASSERT_TRUE(eventually(patience, [&] { return nodes.node(2).number({"ZCARD", "{pool}:waiters"}) == 2; }));
  held.reset();
  waiter.join();
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumSemaphoreFaults, ARollingRestartUnderLoadNeverLetsInTooMany) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms}};
  load all{nodes};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).kill();  // empty when it comes back
    nodes.node(i).restart();
    std::this_thread::sleep_for(1200ms);  // max_ttl: never more than one is young
    EXPECT_TRUE(all.goes_on()) << i;
  }
  all.end();
}

// Each node in turn is stopped, cut off, and slow; all others are up.
TEST(QuorumSemaphoreFaults, NodesDisturbedInTurnUnderLoadNeverLetInTooMany) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms, .gates = true}};
  load all{nodes};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).pause();
    EXPECT_TRUE(all.goes_on()) << i << " stopped";
    std::this_thread::sleep_for(300ms);
    nodes.node(i).resume();
    nodes.door(i).set(fault::black_hole(direction::both));
    EXPECT_TRUE(all.goes_on()) << i << " cut off";
    std::this_thread::sleep_for(300ms);
    nodes.door(i).set(fault::cut());
    nodes.door(i).set(fault::delay(60ms));
    EXPECT_TRUE(all.goes_on()) << i << " slow";
    std::this_thread::sleep_for(300ms);
    nodes.door(i).pass();
  }
  all.end();
}

// Two at a time, empty: with the third they could be a majority that has forgotten. The guard keeps them from voting.
TEST(QuorumSemaphoreFaults, AMajorityRestartedEmptyNeverLetsInTooMany) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1000ms}};
  load all{nodes};
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(all.goes_on());
    for (const std::size_t i : {0U, 1U}) nodes.node(i).kill();
    for (const std::size_t i : {0U, 1U}) nodes.node(i).restart();
  }
  EXPECT_TRUE(all.goes_on());
  all.end();
}

}  // namespace
}  // namespace holdfast::test
