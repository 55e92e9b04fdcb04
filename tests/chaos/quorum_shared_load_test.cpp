// Readers, writers, upgrades and downgrades by the thousand on a quorum whose nodes are disturbed and restarted: exclusion and fences by a
// checker.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "redis/quorum_common.hpp"
#include "support/boottime.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds slack{200};  // no waiter ends later than so much after its limit

struct hold {
  std::int64_t start;
  std::int64_t end;
  std::uint64_t fence;
  bool writes;
  int whose;  // a downgrade goes on under its number
};

struct shared_history {
  std::mutex guard;
  std::vector<hold> holds;
  std::atomic<int> count{0};
  std::atomic<int> leases{0};
  std::atomic<int> late{0};  // waits that ended after their limit

  void add(hold what) {
    if (what.end <= what.start) return;
    const std::lock_guard lock{guard};
    holds.push_back(what);
    ++count;
  }
  // A writer overlaps nobody, and numbers are in the order of those of whom one is a writer.
  void check() {
    std::sort(holds.begin(), holds.end(), [](const hold& a, const hold& b) { return a.start < b.start; });
    for (std::size_t i = 0; i < holds.size(); ++i) {
      for (std::size_t k = i + 1; k < holds.size(); ++k) {
        const hold& a = holds[i];
        const hold& b = holds[k];
        if (!a.writes && !b.writes) continue;
        ASSERT_GE(b.start, a.end) << "a writer and another, " << i << " and " << k;
        const bool goes_on = a.whose == b.whose && a.writes;
        ASSERT_GT(b.fence + (goes_on ? 1 : 0), a.fence) << i << " and " << k;
      }
    }
  }
};

// Until when the holder may believe in it, at the most.
std::int64_t end_of(const lease& held, std::int64_t believed) {
  return held.state() == lease_state::LOST ? std::min(believed, boottime_ns()) : boottime_ns();
}

void work(quorum_group& nodes, unsigned seed, shared_history& log, const std::atomic<bool>& over) {
  std::mt19937 random{seed};
  client redis{nodes.where()};
  options how{.ttl = 800ms};
  how.wait = 1000ms;
  const auto pause = [&] { std::this_thread::sleep_for(std::chrono::microseconds{random() % 3000}); };
  while (!over) {
    bool writes = random() % 3 == 0;
    const auto limit = steady_clock::now() + 1000ms;
    auto got =
        writes ? acquire_exclusive(std::nothrow, redis, "door", how) : acquire_shared(std::nothrow, redis, "door", how);
    if (steady_clock::now() > limit + slack) ++log.late;
    if (!got) continue;
    const int whose = ++log.leases;
    auto start = boottime_ns();
    auto believed = start + got->remaining().count();
    pause();
    if (random() % 3 == 0) {
      const auto fence = got->fence();
      if (writes) {
        const auto end = end_of(*got, believed);
        log.add({start, end, fence, true, whose});
        static_cast<void>(downgrade(*got));  // a reader from here on, whatever it says
      } else {
        if (!upgrade(*got, how)) {
          log.add({start, end_of(*got, believed), fence, false, whose});
          static_cast<void>(got->release());
          continue;
        }
        log.add({start, boottime_ns(), fence, false, whose});
      }
      writes = !writes;
      start = boottime_ns();
      believed = start + got->remaining().count();
      pause();
    }
    log.add({start, end_of(*got, believed), got->fence(), writes, whose});
    static_cast<void>(got->release());
  }
}

struct load {
  load(quorum_group& nodes, shared_history& log, int how_many) {
    const unsigned seed = make_seed();
    for (int i = 0; i < how_many; ++i) {
      threads.emplace_back([&, seed, i] { work(nodes, seed + static_cast<unsigned>(i), log, over); });
    }
  }
  void end() {
    over = true;
    threads.clear();
  }
  std::atomic<bool> over{false};
  std::vector<std::jthread> threads;
};

TEST(QuorumSharedLoad, ThousandsOfHoldsKeepExclusionAndFences) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms}};
  shared_history log;
  load many{nodes, log, 4};
  EXPECT_TRUE(eventually(60'000ms, [&] { return log.count >= 3000; })) << log.count;
  many.end();
  log.check();
  EXPECT_EQ(log.late, 0);
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_TRUE(nothing_left(nodes)) << testing::PrintToString(nodes.left_behind());
}

TEST(QuorumSharedLoad, ARollingRestartUnderLoadKeepsExclusionAndFences) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms}};
  shared_history log;
  load many{nodes, log, 4};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int before = log.count;
    nodes.node(i).kill();  // empty when it comes back
    nodes.node(i).restart();
    std::this_thread::sleep_for(1200ms);  // max_ttl: never more than one is young
    EXPECT_TRUE(eventually(patience, [&] { return log.count > before; })) << i;
  }
  many.end();
  log.check();
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_TRUE(nothing_left(nodes)) << testing::PrintToString(nodes.left_behind());
}

TEST(QuorumSharedLoad, NodesDisturbedInTurnUnderLoadKeepExclusionAndFences) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms, .gates = true}};
  shared_history log;
  load many{nodes, log, 4};
  const auto goes_on = [&] {
    return eventually(patience, [&, before = log.count.load()] { return log.count > before + 3; });
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).pause();
    EXPECT_TRUE(goes_on()) << i << " stopped";
    std::this_thread::sleep_for(300ms);
    nodes.node(i).resume();
    nodes.door(i).set(fault::black_hole(direction::both));
    EXPECT_TRUE(goes_on()) << i << " cut off";
    std::this_thread::sleep_for(300ms);
    nodes.door(i).set(fault::cut());
    nodes.door(i).set(fault::delay(60ms));
    EXPECT_TRUE(goes_on()) << i << " slow";
    std::this_thread::sleep_for(300ms);
    nodes.door(i).pass();
  }
  many.end();
  log.check();
  EXPECT_TRUE(nothing_left(nodes)) << testing::PrintToString(nodes.left_behind());
}

// Two of three, empty: with the third they could be a majority that has forgotten. The guard keeps them from voting.
TEST(QuorumSharedLoad, AMajorityRestartedEmptyStillExcludes) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1000ms}};
  shared_history log;
  load many{nodes, log, 4};
  const auto goes_on = [&] {
    return eventually(patience, [&, before = log.count.load()] { return log.count > before; });
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(goes_on());
    for (const std::size_t i : {0U, 1U}) nodes.node(i).kill();
    for (const std::size_t i : {0U, 1U}) nodes.node(i).restart();
  }
  EXPECT_TRUE(goes_on());
  many.end();
  log.check();
}

}  // namespace
}  // namespace holdfast::test
