// Leader election on one server: beyond a short ttl, and ten thousand times by several candidates. What is the same on a
// quorum: elector_scenes_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

TEST(elector_test, leading_goes_on_beyond_the_ttl) {
  redis_server server;
  client first{at(server)};
  client second{at(server)};
  elector seat{first, "seat", {.id = "me", .ttl = 400ms}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return seat.leads(); }));
  const auto term = seat.term();
  std::this_thread::sleep_for(1200ms);
  EXPECT_TRUE(seat.leads());
  EXPECT_EQ(seat.term(), term);
  EXPECT_EQ(leader_of(second, "seat").value()->id, "me") << "the record is renewed with the lock";
}

// The model: nobody leads, or one does, with a term above all before; whoever is told of a leader is told of one that was.
TEST(elector_model, ten_thousand_terms_never_overlap_and_always_grow) {
  constexpr std::uint64_t terms = 10'000;
  const unsigned seed = make_seed();
  redis_server server;
  std::vector<std::unique_ptr<client>> clients;
  std::vector<std::unique_ptr<elector>> electors;
  for (unsigned i = 0; i < 4; ++i) {
    if (i % 2 == 0) clients.push_back(std::make_unique<client>(at(server)));
    electors.push_back(std::make_unique<elector>(*clients.back(), "seat", elector_options{.id = std::to_string(i)}));
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
        switch (random() % 50) {
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
  for (auto& each : threads) each.join();
  EXPECT_GE(served, terms);
  EXPECT_EQ(server.number({"EXISTS", "seat", "{seat}:leader", "{seat}:waiters"}), 0);
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
}

}  // namespace
}  // namespace holdfast::test
