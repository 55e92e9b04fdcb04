// Leader election on a quorum, many times by several candidates in several clients: at most one leads, and terms only grow; also while
// nodes stop and go on.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "redis/quorum_elector.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

// The model: nobody leads, or one does, with a term above all before; whoever is told of a leader is told of one that was.
class QuorumElectorModel : public testing::Test {
 protected:
  void hold_elections(std::uint64_t terms, bool all_nodes_are_well) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
      if (i % 2 == 0) clients.push_back(std::make_unique<client>(nodes.where()));
      electors.push_back(
          std::make_unique<elector>(*clients.back(), "seat", elector_options{.id = std::to_string(i), .ttl = 20s}));
    }
    for (unsigned i = 0; i < electors.size(); ++i) {
      threads.emplace_back([=, this] {
        std::mt19937 random{seed + i};
        electors[i]->run(stop.get_token(), [&](std::uint64_t term, const std::stop_token& over) {
          EXPECT_EQ(++leading, 1);
          EXPECT_GT(term, last.exchange(term));
          lead(i, term, over, random(), all_nodes_are_well);
          --leading;
          if (++served >= terms || HasFailure()) stop.request_stop();
        });
      });
    }
    threads.emplace_back([this] { observe(); });
    if (!all_nodes_are_well) stop_nodes();
    for (auto& each : threads) each.join();
    EXPECT_GE(served, terms);
    EXPECT_TRUE(nothing_left(nodes));
    EXPECT_TRUE(nodes.without_expiry().empty());
  }

 private:
  void lead(unsigned who, std::uint64_t term, const std::stop_token& over, unsigned long what,
            bool all_nodes_are_well) {
    EXPECT_EQ(electors[who]->term(), term);
    switch (what % 10) {
      case 0: {
        const auto seen = leader_of(*clients[(who + 1) % 2], "seat");
        // Those that go on need not be those that voted: then it cannot be told.
        if (!all_nodes_are_well && (!seen || !*seen)) break;
        ASSERT_TRUE(seen && *seen) << (seen ? "nobody" : seen.failure().detail);
        EXPECT_EQ((*seen)->term, term);
        EXPECT_EQ((*seen)->id, std::to_string(who));
        break;
      }
      case 1:
        electors[who]->resign();
        EXPECT_TRUE(over.stop_requested());
        EXPECT_FALSE(electors[who]->leads());
        break;
      case 2:
        EXPECT_TRUE(electors[who]->leads() || stop.stop_requested());
        break;
      default:
        break;
    }
  }

  // For observers terms never go back.
  void observe() {
    client redis{nodes.where()};
    std::uint64_t seen = 0;
    while (!stop.stop_requested()) {
      const auto who = leader_of(redis, "seat");
      if (!who || !*who) continue;
      EXPECT_GE((*who)->term, seen);
      seen = (*who)->term;
    }
  }

  // One or two at a time, for a moment.
  void stop_nodes() {
    std::mt19937 random{seed + 100};
    while (!stop.stop_requested()) {
      const std::size_t one = random() % nodes.size();
      const std::size_t two = random() % nodes.size();
      nodes.node(one).pause();
      if (two != one) nodes.node(two).pause();
      std::this_thread::sleep_for(std::chrono::milliseconds{10 + random() % 100});
      nodes.node(one).resume();
      if (two != one) nodes.node(two).resume();
      std::this_thread::sleep_for(std::chrono::milliseconds{random() % 20});
    }
  }

  const unsigned seed = make_seed();
  quorum_group nodes{{.max_ttl = 30s}};
  std::vector<std::unique_ptr<client>> clients;
  std::vector<std::unique_ptr<elector>> electors;
  std::stop_source stop;
  std::atomic<int> leading{0};
  std::atomic<std::uint64_t> last{0};
  std::atomic<std::uint64_t> served{0};
};

TEST_F(QuorumElectorModel, ThousandsOfTermsNeverOverlapAndAlwaysGrow) { hold_elections(2'500, true); }

TEST_F(QuorumElectorModel, NorDoTheyWhileNodesStopAndGoOn) { hold_elections(1'000, false); }

}  // namespace
}  // namespace holdfast::test
