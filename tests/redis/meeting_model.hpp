// Latch and barrier against a model: random operations of many owners, each answer compared with a few lines of
// arithmetic. On whatever deployment the clients are of.
#pragma once

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace holdfast::test {

class meeting_model {
 public:
  // Three clients, with settings that `where` makes. `patience`: how long a wait may take to end once its phase has passed.
  meeting_model(const std::function<settings()>& where, std::uint64_t seed, std::chrono::milliseconds patience)
      : random{seed}, patience_{patience}, clients{client{where()}, client{where()}, client{where()}} {}

  void run_latch(int steps);
  // Ends with so many phases at least.
  void run_barrier(int steps, std::uint64_t phases);

 private:
  std::ptrdiff_t draw(std::ptrdiff_t least, std::ptrdiff_t most) {
    return std::uniform_int_distribution<std::ptrdiff_t>{least, most}(random);
  }
  // Waits that threads are in, and for which phase.
  struct pending {
    std::uint64_t phase;
    std::future<result<void>> end;
  };
  // Those of phases that have passed must end, the others must not have.
  void check_waits(std::uint64_t present) {
    std::erase_if(waits, [&](pending& each) {
      if (each.phase >= present) {
        EXPECT_EQ(each.end.wait_for(std::chrono::seconds{0}), std::future_status::timeout) << "ended before its phase";
        return false;
      }
      EXPECT_EQ(each.end.wait_for(patience_), std::future_status::ready);
      const auto ended = each.end.get();
      EXPECT_TRUE(ended) << ended.failure().detail;
      return true;
    });
  }

  static bool has_failure() { return testing::Test::HasFailure(); }

  std::mt19937_64 random;
  const std::chrono::milliseconds patience_;
  client clients[3];
  std::deque<pending> waits;
};

inline void meeting_model::run_latch(int steps) {
  int round = 0;
  for (int step = 0; step < steps && !has_failure();) {
    const std::string name = "latch" + std::to_string(round++);
    const std::ptrdiff_t expected = draw(0, 30);
    std::ptrdiff_t left = expected;
    std::vector<std::unique_ptr<latch>> owners;
    for (int i = 0; i < 6; ++i) owners.push_back(std::make_unique<latch>(clients[i % 3], name, expected));
    ASSERT_EQ(owners[0]->try_wait(), left == 0);  // makes it
    for (int late = 0; late < 5; ++step, late += left == 0 ? 1 : 0) {
      SCOPED_TRACE(name + ", step " + std::to_string(step));
      latch& owner = *owners[static_cast<std::size_t>(draw(0, 5))];
      const auto choice = draw(0, 99);
      if (choice < 45) {
        const std::ptrdiff_t n = draw(0, 3);
        const auto counted = owner.count_down(std::nothrow, n);
        ASSERT_EQ(counted.has_value(), n <= left);
        if (!counted) {
          ASSERT_EQ(counted.code(), errc::bad_option);
        }
        if (counted) left -= n;
      } else if (choice < 70) {
        ASSERT_EQ(owner.try_wait(), left == 0);
      } else if (choice < 85) {
        ASSERT_EQ(owner.wait_for(std::chrono::milliseconds{0}), left == 0);
      } else if (choice < 92) {
        const auto refused = latch{clients[0], name, expected + 1}.count_down(std::nothrow);
        ASSERT_FALSE(refused);
        ASSERT_EQ(refused.code(), errc::bad_option);
      } else if (waits.size() < 8 && left > 0) {
        waits.push_back({0, std::async(std::launch::async, [&owner] { return owner.wait(std::nothrow); })});
      }
      check_waits(left == 0 ? 1 : 0);
      if (has_failure()) break;
    }
    if (left > 0) owners[0]->count_down(left);
    check_waits(1);
  }
}

inline void meeting_model::run_barrier(int steps, std::uint64_t phases) {
  constexpr std::ptrdiff_t expected = 9;
  std::ptrdiff_t members = expected;
  std::ptrdiff_t left = expected;
  std::ptrdiff_t drops = 0;
  std::uint64_t phase = 0;
  std::vector<barrier::arrival_token> tokens;
  std::vector<std::unique_ptr<barrier>> owners;
  for (int i = 0; i < 6; ++i) owners.push_back(std::make_unique<barrier>(clients[i % 3], "step", expected));
  const auto arrived = [&](std::ptrdiff_t n) {
    left -= n;
    if (left > 0) return;
    ++phase;
    members -= drops;
    drops = 0;
    left = members;
  };
  for (int step = 0; step < steps && !has_failure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    barrier& owner = *owners[static_cast<std::size_t>(draw(0, 5))];
    const auto choice = draw(0, 999);
    if (members == 0) members = left = expected;  // everybody has left, and the next to arrive begins anew
    if (choice < 550) {
      const std::ptrdiff_t n = draw(1, 3);
      const auto token = owner.arrive(std::nothrow, n);
      ASSERT_EQ(token.has_value(), n <= left);
      if (token) {
        ASSERT_EQ(token->phase, phase);
        tokens.push_back(*token);
        arrived(n);
      } else {
        ASSERT_EQ(token.code(), errc::bad_option);
      }
    } else if (choice < 555) {
      owner.arrive_and_drop();
      ++drops;
      arrived(1);
    } else if (choice < 900 && !tokens.empty()) {
      const auto& token = tokens[static_cast<std::size_t>(draw(0, static_cast<std::ptrdiff_t>(tokens.size()) - 1))];
      ASSERT_EQ(owner.wait_for(token, std::chrono::milliseconds{0}), token.phase < phase);
    } else if (!tokens.empty() && waits.size() < 8) {
      const auto token = tokens.back();
      waits.push_back(
          {token.phase, std::async(std::launch::async, [&owner, token] { return owner.wait(std::nothrow, token); })});
    }
    check_waits(phase);
  }
  while (!waits.empty() && !has_failure()) {
    if (members == 0) members = left = expected;
    (void)owners[0]->arrive(left);
    arrived(left);
    check_waits(phase);
  }
  EXPECT_GT(phase, phases);
}

}  // namespace holdfast::test
