// recursive_mutex against a model of it: many owners of ours and of Java's do random things in turn, and every answer and
// what is at the key must be what a holder and a depth say.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>

#include "redis/common.hpp"
#include "support/redisson.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

// Owners 0 … 8 are ours (three in each of three clients), 9 … 11 are threads of Java.
constexpr int ours = 9;
constexpr int all = 12;

struct model {
  std::optional<int> holder;
  int depth = 0;

  bool enter(int who) {
    if (holder && *holder != who) return false;
    holder = who;
    ++depth;
    return true;
  }
  // Nothing: not inside. Else whether it was the last.
  std::optional<bool> leave(int who) {
    if (holder != who) return {};
    if (--depth == 0) holder.reset();
    return depth == 0;
  }
};

class recursive_model : public testing::Test {
 protected:
  recursive_model() {
    for (int i = 0; i < 3; ++i) clients_.emplace_back(at(server_));
    for (int who = 0; who < ours; ++who) {
      const options how{.ttl = 60s, .owner = "owner-" + std::to_string(who)};
      locks_.emplace_back(clients_[static_cast<std::size_t>(who % 3)], "door", how);
    }
    for (int who = ours; who < all; ++who) java_.emplace_back(server_, "door", who);
  }

  recursive_mutex& lock_of(int who) { return locks_[static_cast<std::size_t>(who)]; }
  redisson_lock& java_of(int who) { return java_[static_cast<std::size_t>(who - ours)]; }

  void enter(int who) {
    const bool expected = model_.enter(who);
    if (who >= ours) {
      EXPECT_EQ(java_of(who).try_lock(60s), expected);
      return;
    }
    EXPECT_EQ(lock_of(who).try_lock(), expected);
    if (!expected) return;
    const std::uint64_t fence = lock_of(who).fence();
    EXPECT_TRUE(model_.depth == 1 ? fence > fence_ : fence == fence_) << "increasing, one for each hold";
    fence_ = fence;
  }

  void leave(int who) {
    const auto expected = model_.leave(who);
    if (who >= ours) {
      EXPECT_EQ(java_of(who).unlock(), expected);
    } else {
      EXPECT_EQ(lock_of(who).release(), expected ? release_outcome::released : release_outcome::was_lost);
    }
  }

  void keep(int who) {
    // extend() is about the hold of the process: whichever owner of this client is inside.
    const bool here = model_.holder && *model_.holder < ours && *model_.holder % 3 == who % 3;
    if (who >= ours) {
      EXPECT_EQ(java_of(who).renew(60s), model_.holder == who);
    } else {
      EXPECT_EQ(lock_of(who).extend(std::nothrow, 60s).has_value(), here);
    }
  }

  void compare(int who) {
    EXPECT_EQ(server_.number({"EXISTS", "door"}), model_.holder ? 1 : 0);
    if (who < ours) {
      EXPECT_EQ(lock_of(who).depth(), model_.holder == who ? static_cast<std::uint64_t>(model_.depth) : 0U);
    }
    if (!model_.holder) return;
    const int inside = *model_.holder;
    const std::string field = inside < ours ? "owner-" + std::to_string(inside) : java_of(inside).owner();
    EXPECT_EQ(server_.number({"HGET", "door", field}), inside < ours ? 1 : model_.depth);
    EXPECT_EQ(server_.number({"HLEN", "door"}), inside < ours ? 2 : 1) << "nobody else's field";
    EXPECT_GT(server_.number({"PTTL", "door"}), 15'000);
  }

  redis_server server_;
  std::deque<client> clients_;
  std::deque<recursive_mutex> locks_;
  std::deque<redisson_lock> java_;
  model model_;
  std::uint64_t fence_ = 0;
};

TEST_F(recursive_model, agrees_with_the_server) {
  const unsigned seed = make_seed();
  std::mt19937 random{seed};
  for (int step = 0; step < 10'000 && !HasFailure(); ++step) {
    // The holder more often than the others, or nothing but refusals would happen.
    const bool insider = model_.holder && random() % 2 == 0;
    const int who = insider ? *model_.holder : static_cast<int>(random() % all);
    const auto what = random() % 16;
    if (what < 7) {
      enter(who);
    } else if (what < 15) {
      leave(who);
    } else {
      keep(who);
    }
    compare(who);
    if (HasFailure()) ADD_FAILURE() << "step " << step << ": owner " << who << " did " << what;
  }
  while (model_.holder) leave(*model_.holder);
  EXPECT_EQ(server_.keys_without_expiry(), std::vector<std::string>{});
  for (const std::string& key : server_.keys()) EXPECT_TRUE(key.starts_with("holdfast:fence:")) << key;
}

}  // namespace
}  // namespace holdfast::test
