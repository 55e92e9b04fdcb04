// The cache on a quorum whose nodes are cut off, stopped and restarted, and with processes that die: what was erased or replaced is never
// served again, callers get their values, locks are given back.
#include <gtest/gtest.h>
#include <holdfast/cache.hpp>

#include <array>
#include <atomic>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/process.hpp"
#include "support/quorum_group.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using kept = std::optional<std::optional<int>>;

constexpr std::chrono::milliseconds patience{10'000};
const std::string lock_key = "cache:k";
const std::string value_key = "{cache:k}:value";

bool no_lock_is_left(quorum_group& nodes) {
  return eventually(patience, [&] {
    for (const std::string& key : nodes.left_behind()) {
      if (!key.ends_with(":value")) return false;
    }
    return true;
  });
}

TEST(QuorumCacheFaults, TwoBlackHoledNodesOfFiveHinderNobody) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  cache<int> values{redis, {.load_ttl = 2s}};
  values.put("k", 0, 60s);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::black_hole(direction::both));
  EXPECT_EQ(values.get("k").value(), kept{0});
  for (int i = 1; i < 10; ++i) {
    values.erase("k");
    EXPECT_EQ(values.get("k").value(), kept{});
    EXPECT_EQ(values.get_or_load("k", 60s, [&] { return i; }), i);
    EXPECT_EQ(values.get("k").value(), kept{i});
    values.put("k", -i, 60s);
    EXPECT_EQ(values.get("k").value(), kept{-i});
  }
  EXPECT_EQ(values.stats().dropped, 0u);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::cut());
  EXPECT_TRUE(no_lock_is_left(nodes));
  EXPECT_EQ(values.get("k").value(), kept{-9}) << "whatever the two that missed it have";
}

TEST(QuorumCacheFaults, TheAnswersToStoringAreLost) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  client direct{[&] {
    settings made = nodes.where();
    for (std::size_t i = 0; i < nodes.size(); ++i) made.hosts[i].port = nodes.node(i).port();
    return made;
  }()};
  cache<int> values{redis, {.load_ttl = 2s}};
  cache<int> near{direct, {.load_ttl = 2s}};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 for (std::size_t i = 0; i < 3; ++i) {
                                   nodes.door(i).set(fault::black_hole(direction::to_client));
                                 }
                                 return 1;
                               }),
            1)
      << "the caller has what it loaded";
  EXPECT_EQ(values.stats().dropped, 1u) << "as far as it knows";
  EXPECT_EQ(near.get("k").value(), kept{1}) << "it was executed";
  EXPECT_TRUE(no_lock_is_left(nodes));
}

TEST(QuorumCacheFaults, AStoreThatReachesAMinorityIsNotSeen) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  cache<int> values{redis, {.load_ttl = 500ms}};
  EXPECT_EQ(values.get_or_load("k", 60s,
                               [&] {
                                 for (std::size_t i = 0; i < 3; ++i) {
                                   nodes.door(i).set(fault::black_hole(direction::to_server));
                                 }
                                 return 1;
                               }),
            1);
  EXPECT_EQ(values.stats().dropped, 1u);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  EXPECT_EQ(nodes.holding(value_key), 2u);
  result<kept> got{kept{}};
  EXPECT_TRUE(eventually(patience, [&] { return (got = values.get("k")).has_value(); }));
  EXPECT_EQ(*got, kept{});
  EXPECT_EQ(values.get_or_load("k", 60s, [] { return 2; }), 2);
  EXPECT_TRUE(no_lock_is_left(nodes));
}

TEST(QuorumCacheCrashes, TheLoaderDiesAndAWaiterLoads) {
  quorum_group nodes;
  auto dying = fork_child([&] {
    client redis{nodes.where()};
    cache<int>{redis, {.load_ttl = 1s}}.get_or_load("k", 60s, [] {
      std::cout << "loading" << std::endl;
      std::this_thread::sleep_for(60s);
      return 1;
    });
    return 0;
  });
  ASSERT_EQ(dying.read_line(10s), "loading");
  client redis{nodes.where()};
  cache<int> values{redis, {.wait = 20s, .load_ttl = 1s}};
  auto waiter = std::async(std::launch::async, [&] { return values.get_or_load("k", 60s, [] { return 2; }); });
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("{cache:k}:waiters") == 5; }));
  dying.kill();
  EXPECT_EQ(waiter.get(), 2);
  EXPECT_TRUE(no_lock_is_left(nodes));
}

TEST(QuorumCacheCrashes, AWaiterDiesAndNobodyMinds) {
  quorum_group nodes;
  auto go = fork_child([&] {
    client redis{nodes.where()};
    std::string line;
    std::getline(std::cin, line);
    cache<int>{redis, {.load_ttl = 2s}}.get_or_load("k", 60s, [] { return 2; });
    return 0;
  });
  client redis{nodes.where()};
  cache<int> values{redis, {.load_ttl = 2s}};
  EXPECT_EQ(
      values.get_or_load("k", 60s,
                         [&] {
                           go.write("wait\n");
                           EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("{cache:k}:waiters") == 5; }));
                           go.kill();
                           EXPECT_TRUE(go.wait(10s));
                           return 1;
                         }),
      1);
  EXPECT_EQ(values.get("k").value(), kept{1});
  EXPECT_TRUE(no_lock_is_left(nodes));
}

// ---- no value is stale

// A source whose versions only grow; whoever changes it erases or puts the key afterwards. Once that has succeeded, nobody who asks later
// may get an older version.
struct source {
  std::atomic<int> version{0};
  std::atomic<int> settled{0};  // the last version whose erasure or put has succeeded
  std::atomic<int> stale{0};    // answers that were older than what was settled before they were asked for
  std::atomic<int> reads{0};
  std::atomic<int> hits{0};
  std::atomic<int> changes{0};
};

class stale_hunt {
 public:
  explicit stale_hunt(quorum_group& nodes) : nodes_{nodes}, seed_{make_seed()} {
    for (unsigned i = 0; i < 2; ++i) threads_.emplace_back([this, i] { change(i); });
    for (unsigned i = 0; i < 3; ++i) threads_.emplace_back([this, i] { read(i); });
  }
  ~stale_hunt() { end(); }

  void end() {
    over_ = true;
    threads_.clear();
  }
  // Both kinds of work have got something done.
  [[nodiscard]] bool goes_on(int least = 10) const {
    const int reads = keys_[0].hits + keys_[1].hits;
    const int changes = keys_[0].changes + keys_[1].changes;
    return eventually(patience, [&] {
      return keys_[0].hits + keys_[1].hits >= reads + least &&
             keys_[0].changes + keys_[1].changes >= changes + least / 5;
    });
  }
  void expect_nothing_stale(int least) const {
    int all = 0;
    for (const source& each : keys_) {
      EXPECT_EQ(each.stale, 0);
      all += each.reads + each.changes;
    }
    EXPECT_GE(all, least);
    std::cout << all << " calls, " << keys_[0].hits + keys_[1].hits << " hits\n";
  }

 private:
  static std::string name(std::size_t key) { return "k" + std::to_string(key); }
  static cache_options how() { return {.nothing_ttl = 50ms, .wait = 2s, .load_ttl = 500ms, .max_load = 2s}; }

  void change(unsigned which) {
    std::mt19937 random{seed_ + which};
    client redis{nodes_.where()};
    cache<int> values{redis, how()};
    source& mine = keys_[which];
    while (!over_) {
      const int now = ++mine.version;
      bool done = false;
      if (random() % 3 == 0) {
        try {
          values.put(name(which), now, 60s);
          done = true;
        } catch (const error&) {  // a majority is away or young: nothing is settled
        }
      } else {
        done = values.erase(std::nothrow, name(which)).has_value();
      }
      if (done) {
        mine.settled = now;
        ++mine.changes;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{random() % 12});
    }
  }

  void read(unsigned who) {
    std::mt19937 random{seed_ + 100 + who};
    client redis{nodes_.where()};
    cache<int> values{redis, how()};
    while (!over_) {
      const std::size_t key = random() % 2;
      source& from = keys_[key];
      const int least = from.settled;
      const auto ttl = random() % 2 == 0 ? 60'000ms : 30ms;
      std::optional<int> got;
      if (random() % 3 == 0) {
        const auto found = values.get(name(key));
        if (found && *found) got = **found;
      } else {
        const auto found = values.get_or_load(std::nothrow, name(key), ttl, [&] {
          const int version = from.version;
          std::this_thread::sleep_for(std::chrono::milliseconds{random() % 8});
          return version;
        });
        if (found) got = *found;
      }
      ++from.reads;
      if (!got) continue;
      ++from.hits;
      if (*got < least) ++from.stale;
    }
  }

  quorum_group& nodes_;
  const unsigned seed_;
  std::array<source, 2> keys_;
  std::atomic<bool> over_ = false;
  std::vector<std::jthread> threads_;
};

TEST(QuorumCacheHistory, NothingStaleIsServedWhileNodesRestartOneAfterTheOther) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms}};
  stale_hunt hunt{nodes};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(hunt.goes_on()) << i;
    nodes.node(i).kill();
    nodes.node(i).restart();              // empty
    std::this_thread::sleep_for(1200ms);  // max_ttl: never more than one is young
    EXPECT_TRUE(hunt.goes_on()) << i;
  }
  hunt.end();
  hunt.expect_nothing_stale(2000);
  EXPECT_EQ(nodes.without_expiry(), std::vector<std::string>{});
  EXPECT_TRUE(no_lock_is_left(nodes));
}

// With their data, which is from before whatever happened meanwhile.
TEST(QuorumCacheHistory, NothingStaleIsServedWhenNodesComeBackWithTheirData) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 600ms, .each = {.appendonly = true}}};
  stale_hunt hunt{nodes};
  for (int round = 0; round < 6; ++round) {
    redis_server& node = nodes.node(static_cast<std::size_t>(round % 3));
    EXPECT_TRUE(hunt.goes_on()) << round;
    node.kill();
    EXPECT_TRUE(hunt.goes_on()) << round;  // erases and puts that it misses
    node.restart();
    std::this_thread::sleep_for(700ms);
  }
  EXPECT_TRUE(hunt.goes_on());
  hunt.end();
  hunt.expect_nothing_stale(2000);
}

TEST(QuorumCacheHistory, NothingStaleIsServedWhileNodesAreStoppedCutOffAndSlow) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms, .gates = true}};
  stale_hunt hunt{nodes};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t other = (i + 2) % nodes.size();
    nodes.node(i).pause();
    nodes.door(other).set(fault::black_hole(direction::to_client));  // done, and not told
    EXPECT_TRUE(hunt.goes_on(150)) << i << " stopped";
    nodes.node(i).resume();
    nodes.door(other).set(fault::cut());
    nodes.door(i).set(fault::black_hole(direction::both));
    EXPECT_TRUE(hunt.goes_on(150)) << i << " cut off";
    nodes.door(i).set(fault::cut());
    nodes.door(i).set(fault::delay(60ms));
    EXPECT_TRUE(hunt.goes_on(150)) << i << " slow";
    nodes.door(i).pass();
  }
  hunt.end();
  hunt.expect_nothing_stale(2000);
  EXPECT_TRUE(no_lock_is_left(nodes));
}

}  // namespace
}  // namespace holdfast::test
