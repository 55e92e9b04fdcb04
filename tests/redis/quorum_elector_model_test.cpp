// Leader election on a quorum, many times by several candidates in several clients: at most one leads, and terms only grow.
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
TEST(QuorumElectorModel, ThousandsOfTermsNeverOverlapAndAlwaysGrow) {
  constexpr std::uint64_t terms = 2'500;
  const unsigned seed = make_seed();
  quorum_group nodes{{.max_ttl = 30s}};
  std::vector<std::unique_ptr<client>> clients;
  std::vector<std::unique_ptr<elector>> electors;
  for (unsigned i = 0; i < 4; ++i) {
    if (i % 2 == 0) clients.push_back(std::make_unique<client>(nodes.where()));
    electors.push_back(
        std::make_unique<elector>(*clients.back(), "seat", elector_options{.id = std::to_string(i), .ttl = 20s}));
  }
  std::stop_source stop;
  std::atomic<int> leading{0};
  std::atomic<std::uint64_t> last{0};
  std::atomic<std::uint64_t> served{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < electors.size(); ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random{seed + i};
      electors[i]->run(stop.get_token(), [&](std::uint64_t term, const std::stop_token& over) {
        EXPECT_EQ(++leading, 1);
        EXPECT_GT(term, last.exchange(term));
        EXPECT_EQ(electors[i]->term(), term);
        switch (random() % 10) {
          case 0: {
            const auto who = leader_of(*clients[(i + 1) % 2], "seat").value();
            EXPECT_TRUE(who && who->term == term && who->id == std::to_string(i));
            break;
          }
          case 1:
            electors[i]->resign();
            EXPECT_TRUE(over.stop_requested());
            EXPECT_FALSE(electors[i]->leads());
            break;
          case 2:
            EXPECT_TRUE(electors[i]->leads() || stop.stop_requested());
            break;
          default:
            break;
        }
        --leading;
        if (++served >= terms || testing::Test::HasFailure()) stop.request_stop();
      });
    });
  }
  // Observers, meanwhile: terms never go back.
  std::thread observer{[&] {
    client redis{nodes.where()};
    std::uint64_t seen = 0;
    while (!stop.stop_requested()) {
      const auto who = leader_of(redis, "seat");
      if (!who || !*who) continue;
      EXPECT_GE((*who)->term, seen);
      seen = (*who)->term;
    }
  }};
  for (auto& each : threads) each.join();
  observer.join();
  EXPECT_GE(served, terms);
  EXPECT_TRUE(nothing_left(nodes));
  EXPECT_TRUE(nodes.without_expiry().empty());
}

}  // namespace
}  // namespace holdfast::test
