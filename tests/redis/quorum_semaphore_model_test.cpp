// Random steps of several clients on a semaphore of a real quorum: one at a time against a model, and all at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

constexpr std::uint64_t made_with = 5;

// A step after the other, so that who holds what is known: whoever is let in must fit, and whoever fits gets in. Not always at the first
// try: a release is over when a majority has executed it, and the others may still be about to.
TEST(QuorumSemaphoreModel, OneAfterTheOtherAsManyAsFit) {
  constexpr int steps = 2500;
  quorum_group nodes{{.nodes = 5, .max_ttl = 60s}};
  std::mt19937 random{make_seed()};
  const auto pick = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>{least, most}(random);
  };
  struct party {
    explicit party(const settings& where) : redis{where} {}
    client redis;
    semaphore pool{redis, "pool", made_with, {.ttl = 60s}};
  };
  std::vector<std::unique_ptr<party>> parties;
  for (int i = 0; i < 4; ++i) parties.push_back(std::make_unique<party>(nodes.where()));
  struct hold {
    lease held;
    std::uint64_t permits;
  };
  std::vector<hold> holds;
  std::uint64_t capacity = made_with;
  std::uint64_t sum = 0;
  std::uint64_t last = 0;
  int granted = 0;
  int refused = 0;
  int impossible = 0;
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
    semaphore& pool = parties[pick(0, parties.size() - 1)]->pool;
    const std::uint64_t what = pick(0, 99);
    if (what < 55) {
      const std::uint64_t permits = pick(1, 3);
      result<lease> got = pool.try_take(permits);
      if (permits > capacity) {
        ++impossible;
        ASSERT_FALSE(got);
        EXPECT_EQ(got.code(), errc::bad_option) << "step " << step << ": " << got.failure().detail;
      } else if (sum + permits > capacity) {
        ++refused;
        ASSERT_FALSE(got) << "step " << step << ": " << sum << " of " << capacity << " and " << permits << " more";
        EXPECT_EQ(got.code(), errc::held) << got.failure().detail;
      } else {
        EXPECT_TRUE(got || eventually(patience, [&] { return static_cast<bool>(got = pool.try_take(permits)); }))
            << "step " << step << ": " << sum << " of " << capacity << " and " << permits << " more; "
            << got.failure().detail;
        if (!got) break;
        EXPECT_GT(got->fence(), last);
        last = got->fence();
        sum += permits;
        ++granted;
        holds.push_back({std::move(*got), permits});
      }
    } else if (what < 93) {
      if (holds.empty()) continue;
      const auto which = holds.begin() + static_cast<std::ptrdiff_t>(pick(0, holds.size() - 1));
      EXPECT_EQ(which->held.release(), release_outcome::released) << "step " << step;
      sum -= which->permits;
      holds.erase(which);
    } else if (what < 96) {
      for (hold& each : holds) EXPECT_NO_THROW(each.held.extend(60s)) << "step " << step;
    } else {
      capacity = pick(1, 8);
      pool.set_capacity(capacity);
      // Said to a majority, and soon to the rest: until then more than fits may be refused there.
      EXPECT_TRUE(eventually(patience, [&] {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          if (nodes.node(i).text({"GET", "{pool}:capacity"}) != std::to_string(capacity)) return false;
        }
        return true;
      }));
    }
  }
  EXPECT_GT(granted, 300);
  EXPECT_GT(refused, 100);
  EXPECT_GT(impossible, 10);
  for (const hold& each : holds) EXPECT_EQ(each.held.state(), lease_state::VALID);
  holds.clear();
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_TRUE(eventually(patience, [&] {
    const auto left = nodes.left_behind();
    return std::ranges::all_of(left,
                               [](const std::string& key) { return key.find("{pool}:capacity") != std::string::npos; });
  })) << testing::PrintToString(nodes.left_behind());
}

// All at once, with waits: never more inside than permits, and greater fences for whoever came later.
void work_together(std::size_t size, std::uint64_t permits, unsigned seed) {
  constexpr int threads_per_client = 2;
  constexpr int clients = 3;
  constexpr int each_does = 400;
  quorum_group nodes{{.nodes = size, .max_ttl = 60s}};
  std::atomic<std::uint64_t> inside{0};
  std::atomic<std::uint64_t> most{0};
  std::atomic<std::uint64_t> greatest{0};  // of the fences that are in use or were
  std::atomic<int> taken{0};
  std::atomic<int> inversions{0};
  std::mutex guard;
  std::map<errc, int> failures;
  {
    std::vector<std::unique_ptr<client>> all;
    std::vector<std::jthread> threads;
    for (int c = 0; c < clients; ++c) {
      all.push_back(std::make_unique<client>(nodes.where()));
      for (int t = 0; t < threads_per_client; ++t) {
        threads.emplace_back([&, &redis = *all.back(), own = seed + static_cast<unsigned>(10 * c + t)] {
          std::mt19937 random{own};
          semaphore pool{redis, "pool", permits, {.ttl = 60s}};
          for (int i = 0; i < each_does; ++i) {
            const std::uint64_t wanted = 1 + random() % std::min<std::uint64_t>(permits, 2);
            const std::uint64_t before = greatest;
            options how{.ttl = 60s};
            if (random() % 3 != 0) how.wait = std::chrono::milliseconds{20 + random() % 300};
            auto got = random() % 4 == 0 ? pool.try_take(wanted) : pool.take(std::nothrow, wanted, how);
            if (!got) {
              const std::lock_guard lock{guard};
              ++failures[got.code()];
              continue;
            }
            const std::uint64_t now = inside += wanted;
            for (std::uint64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            if (got->fence() <= before) ++inversions;
            for (std::uint64_t seen = greatest;
                 got->fence() > seen && !greatest.compare_exchange_weak(seen, got->fence());) {
            }
            ++taken;
            if (random() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds{random() % 500});
            inside -= wanted;
            EXPECT_EQ(got->release(), release_outcome::released);
          }
        });
      }
    }
  }
  EXPECT_LE(most, permits);
  EXPECT_GT(taken, clients * threads_per_client * each_does / 2);
  EXPECT_EQ(inversions, 0);
  // Unreachable: a wait that was over before the first answer.
  for (const auto& [code, count] : failures) {
    EXPECT_TRUE(code == errc::held || code == errc::timed_out || code == errc::unreachable)
        << to_string(code) << ", " << count << " times";
  }
  std::cout << taken << " taken, at most " << most << " of " << permits << " at once; " << failures[errc::held]
            << " held, " << failures[errc::timed_out] << " timed out\n";
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_TRUE(eventually(patience, [&] { return nodes.left_behind().empty(); }))
      << testing::PrintToString(nodes.left_behind());
}

TEST(QuorumSemaphoreModel, AllAtOnceNeverMoreThanThereAreOnThree) { work_together(3, 2, make_seed()); }
TEST(QuorumSemaphoreModel, AllAtOnceNeverMoreThanThereAreOnFive) { work_together(5, 3, make_seed()); }
TEST(QuorumSemaphoreModel, OneAtATimeIsAPlainLock) { work_together(5, 1, make_seed()); }

}  // namespace
}  // namespace holdfast::test
