// A quorum whose nodes are cut off, slow or restarted while locks are taken: exclusion and fences by a history checker.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "redis/quorum_common.hpp"
#include "support/boottime.hpp"
#include "support/history.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds slack{200};  // no waiter ends later than so much after its limit

TEST(QuorumFaults, TwoBlackHoledNodesOfFiveHinderNobody) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  { auto warm = redis.acquire("door", {.ttl = 3000ms}); }
  nodes.door(0).set(fault::black_hole(direction::both));
  nodes.door(1).set(fault::black_hole(direction::both));
  for (int i = 0; i < 20; ++i) {
    auto got = redis.try_acquire("door", {.ttl = 3000ms});
    ASSERT_TRUE(got) << i << ": " << got.failure().detail;
    EXPECT_EQ(got->release(), release_outcome::released);
  }
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::cut());  // no stream goes on after a hole
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumFaults, ThreeBlackHoledNodesOfFiveEndWaitsInTime) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  { auto warm = redis.acquire("door", {.ttl = 3000ms}); }
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::both));
  const auto start = steady_clock::now();
  const auto got = redis.acquire(std::nothrow, "door", {.ttl = 3000ms, .wait = 600ms});
  const auto took = steady_clock::now() - start;
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  EXPECT_LT(took, 600ms + slack);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  EXPECT_TRUE(nothing_left(nodes));
}

// The votes arrive, the answers do not: what was granted unheard must not stay.
TEST(QuorumFaults, VotesWhoseAnswersAreLostAreTakenBack) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  { auto warm = redis.acquire("other", {.ttl = 3000ms}); }
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::to_client));
  const auto got = redis.try_acquire("door", {.ttl = 3000ms, .renew = false});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  EXPECT_TRUE(eventually(2000ms, [&] { return nodes.holding("door") == 0; }));
}

// Three clients that take the lock in turn, a resource that checks their fences, and a log of who believed to hold when.
class crowd {
 public:
  explicit crowd(quorum_group& nodes) : nodes_{nodes} {
    for (std::uint64_t who = 1; who <= 3; ++who) threads_.emplace_back([this, who] { work(who); });
  }

  // Whether somebody holds it so many times more.
  bool goes_on(int times = 1) {
    return eventually(patience, [this, wanted = holds_ + times] { return holds_ >= wanted; });
  }

  // Ends them, and judges what they saw.
  void finish() {
    over_ = true;
    threads_.clear();
    const auto violation = find_violation(log_.read());
    EXPECT_FALSE(violation) << *violation;
    EXPECT_EQ(refused_, 0);
    EXPECT_LT(latest_, slack);
    EXPECT_TRUE(nodes_.without_expiry().empty());
    EXPECT_TRUE(nothing_left(nodes_));
  }

 private:
  void work(std::uint64_t who) {
    client redis{nodes_.where()};
    while (!over_) {
      const auto limit = steady_clock::now() + 1000ms;
      auto got = redis.acquire(std::nothrow, "door", {.ttl = 800ms, .wait = 1000ms});
      waited(steady_clock::now() - limit);
      if (!got) continue;  // a node or two may be away or young: that costs time, not safety
      const auto start = boottime_ns();
      const auto believed = start + got->remaining().count();
      use(got->fence());
      std::this_thread::sleep_for(2ms);
      const auto end = got->state() == lease_state::LOST ? believed : boottime_ns();
      if (end > start) log_.append({who, got->fence(), start, end});
      ++holds_;
      static_cast<void>(got->release());
    }
  }

  void waited(steady_clock::duration after) {
    const std::lock_guard lock{guard_};
    latest_ = std::max(latest_, after);
  }

  void use(std::uint64_t fence) {
    const std::lock_guard lock{guard_};
    if (fence <= last_) ++refused_;
    last_ = std::max(last_, fence);
  }

  quorum_group& nodes_;
  temp_dir dir_;
  history log_{dir_.file("history")};
  std::mutex guard_;
  std::uint64_t last_ = 0;
  int refused_ = 0;
  steady_clock::duration latest_{0};  // end of a wait, after its limit
  std::atomic<bool> over_ = false;
  std::atomic<int> holds_ = 0;
  std::vector<std::jthread> threads_;
};

TEST(QuorumFaults, ARollingRestartUnderLoadKeepsExclusionAndFences) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms}};
  crowd all{nodes};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).kill();  // empty when it comes back
    nodes.node(i).restart();
    std::this_thread::sleep_for(1200ms);  // max_ttl: never more than one is young
    EXPECT_TRUE(all.goes_on(3)) << i;
  }
  all.finish();
}

// Each node in turn is stopped, cut off, and slow; all others are up.
TEST(QuorumFaults, NodesDisturbedInTurnUnderLoadKeepExclusionAndFences) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms, .gates = true}};
  crowd all{nodes};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).pause();
    EXPECT_TRUE(all.goes_on(4)) << i << " stopped";
    std::this_thread::sleep_for(300ms);
    nodes.node(i).resume();
    nodes.door(i).set(fault::black_hole(direction::both));
    EXPECT_TRUE(all.goes_on(4)) << i << " cut off";
    std::this_thread::sleep_for(300ms);
    nodes.door(i).set(fault::cut());
    nodes.door(i).set(fault::delay(60ms));
    EXPECT_TRUE(all.goes_on(4)) << i << " slow";
    std::this_thread::sleep_for(300ms);
    nodes.door(i).pass();
  }
  all.finish();
}

// Two at a time, empty: with the third they could be a majority that has forgotten. The guard keeps them from voting.
TEST(QuorumFaults, AMajorityRestartedEmptyStillExcludes) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1000ms}};
  crowd all{nodes};
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(all.goes_on());
    for (const std::size_t i : {0U, 1U}) nodes.node(i).kill();
    for (const std::size_t i : {0U, 1U}) nodes.node(i).restart();
  }
  EXPECT_TRUE(all.goes_on());
  all.finish();
}

}  // namespace
}  // namespace holdfast::test
