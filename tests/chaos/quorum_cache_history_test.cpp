// Many who read, load, erase and put on a quorum whose nodes are stopped, cut off and restarted: what was erased or replaced is never
// served again.
#include <gtest/gtest.h>
#include <holdfast/cache.hpp>

#include <array>
#include <atomic>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

#include "chaos/quorum_cache_ground.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

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
