// The cache against a model of it: random calls on few keys, also from inside loaders, in one order that the model follows. On any
// deployment: what a test needs to know of its servers it says by a `cache_ground`.
#pragma once

#include <holdfast/cache.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {

class cache_ground {
 public:
  virtual ~cache_ground() = default;
  [[nodiscard]] virtual settings where() const = 0;
  // Takes the lock from its holder behind its back.
  virtual void drop(const std::string& lock) = 0;
  // After all is over, and every key was erased.
  virtual void expect_clean(const std::vector<std::string>& locks) = 0;
};

class cache_model_run {
 public:
  cache_model_run(cache_ground& ground, unsigned seed) : ground_{ground}, random_{seed} {
    for (int i = 0; i < 3; ++i) {
      clients_.push_back(std::make_unique<client>(ground_.where()));
      // Half of an hour is for ever here; nothing is loaded early, because chance is not in the model.
      caches_.push_back(
          std::make_unique<cache<int>>(*clients_.back(), cache_options{.nothing_ttl = 1h, .early = 0, .wait = 10s}));
    }
  }

  void run(int steps) {
    for (done_ = 0; done_ < steps && !testing::Test::HasFailure();) step(3);
    std::vector<std::string> locks;
    for (int i = 0; i < keys; ++i) {
      caches_[0]->erase(name(i));
      locks.push_back(lock_of(i));
    }
    ground_.expect_clean(locks);
  }

 private:
  // What a key should have: a value, "nothing", or nothing at all.
  using kept = std::optional<std::optional<int>>;
  static constexpr int keys = 4;

  static std::string name(int key) { return "k" + std::to_string(key); }
  static std::string lock_of(int key) { return "cache:" + name(key); }
  int draw(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random_); }
  cache<int>& any() { return *caches_[static_cast<std::size_t>(draw(static_cast<int>(caches_.size())))]; }

  // `depth`: how many loaders may still be inside one another.
  void step(int depth) {
    ++done_;
    const int key = draw(keys);
    switch (draw(10)) {
      case 0:
        any().erase(name(key));
        change(key, std::nullopt);
        break;
      case 1: {
        const int value = ++last_;
        any().put(name(key), value, 1h);
        change(key, std::optional<int>{value});
        break;
      }
      case 2:
        EXPECT_EQ(any().get(name(key)).value(), state_[key]);
        break;
      case 3:  // the holder's lease ends, by whatever accident
        if (loading_.contains(key)) {
          ground_.drop(lock_of(key));
          loading_.erase(key);
        }
        break;
      default:
        load(key, depth);
    }
  }

  void change(int key, kept to) {
    state_[key] = to;
    ++changes_[key];
  }

  void load(int key, int depth) {
    if (depth == 0 || loading_.contains(key)) return;  // it would wait for itself
    struct refusal {};
    const kept before = state_[key];
    bool ran = false;
    std::optional<int> brought;
    try {
      const auto got = any().get_or_load(name(key), 1h, [&]() -> std::optional<int> {
        ran = true;
        const int mine = ++holds_;
        loading_[key] = mine;
        const int changes = changes_[key];
        for (int i = draw(4); i > 0; --i) step(depth - 1);
        const bool held = loading_.contains(key) && loading_[key] == mine;
        if (held) loading_.erase(key);
        if (draw(5) == 0) throw refusal{};
        if (draw(4) != 0) brought = ++last_;
        if (held && changes_[key] == changes) state_[key] = kept{brought};
        return brought;
      });
      EXPECT_EQ(ran, !before);
      EXPECT_EQ(got, ran ? brought : *before);
    } catch (const refusal&) {
      EXPECT_TRUE(ran);
    }
  }

  cache_ground& ground_;
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::unique_ptr<cache<int>>> caches_;
  std::mt19937 random_;
  int done_ = 0;
  int last_ = 0;
  int holds_ = 0;
  std::map<int, kept> state_;
  std::map<int, int> changes_;  // puts and erasures so far
  std::map<int, int> loading_;  // who holds the loader's lock
};

}  // namespace holdfast::test
