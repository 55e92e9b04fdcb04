// multi_lock against a model of it: owners take and give back random subsets, beside plain locks of the same names; who has
// what is known at every step.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "redis/common.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

constexpr int steps = 10'000;
constexpr int owners = 6;
constexpr int locks = 8;

struct holder {
  multi_lease many;
  lease one;
  std::set<std::string> names;  // by the model
};

TEST(multi_lock_model, random_subsets_are_taken_wholly_or_not_at_all) {
  const unsigned seed = make_seed();
  std::mt19937 random{seed};
  const auto draw = [&](int below) { return std::uniform_int_distribution<int>{0, below - 1}(random); };
  redis_server server;
  client first{at(server)};
  client second{at(server)};
  std::vector<holder> all(owners);
  std::map<std::string, std::size_t> held_by;
  std::map<std::string, std::uint64_t> fences;
  const auto note = [&](const std::string& name, std::uint64_t fence) {
    EXPECT_GT(fence, fences[name]);
    fences[name] = fence;
  };
  for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
    const auto who = static_cast<std::size_t>(draw(owners));
    client& redis = who % 2 == 0 ? first : second;
    holder& me = all[who];
    if (!me.names.empty()) {
      // Lost by an accident now and then: then the release says so, and the rest is free as well.
      const bool accident = draw(10) == 0;
      if (accident) server.text({"DEL", *me.names.begin()});
      const auto outcome = me.many.size() > 0 ? me.many.release() : me.one.release();
      EXPECT_EQ(outcome, accident ? release_outcome::was_lost : release_outcome::released);
      for (const auto& each : me.names) held_by.erase(each);
      me = {};
      continue;
    }
    std::vector<std::string> wanted;
    for (int n = 1 + draw(4); n > 0; --n) wanted.push_back("n" + std::to_string(draw(locks)));
    const std::set<std::string> unique{wanted.begin(), wanted.end()};
    const bool plain = unique.size() == 1 && draw(2) == 0;
    const bool waits = draw(40) == 0;
    bool free = true;
    for (const auto& each : unique) free = free && !held_by.contains(each);
    errc why{};
    if (plain) {
      auto got = redis.try_acquire(wanted[0]);
      EXPECT_EQ(got.has_value(), free);
      if (got) note(wanted[0], got->fence()), me.one = std::move(*got);
      if (!got) why = got.code();
    } else {
      auto got = waits ? acquire_all(std::nothrow, redis, wanted, {.wait = free ? 10s : 10ms})
                       : try_acquire_all(redis, wanted);
      EXPECT_EQ(got.has_value(), free);
      if (got) {
        for (const auto& each : unique) note(each, got->fence(each));
        me.many = std::move(*got);
      } else {
        why = got.code();
      }
    }
    if (!free) {
      // On a busy machine an answer may take longer than so short a wait.
      if (waits && !plain && why == errc::unreachable) why = errc::timed_out;
      EXPECT_EQ(why, waits && !plain ? errc::timed_out : errc::held);
    } else {
      me.names = unique;
      for (const auto& each : unique) held_by[each] = who;
    }
    if (i % 100 != 0) continue;
    for (int n = 0; n < locks; ++n) {
      const std::string name = "n" + std::to_string(n);
      EXPECT_EQ(server.number({"EXISTS", name}), held_by.contains(name) ? 1 : 0) << name;
    }
  }
  all.clear();
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  EXPECT_TRUE(eventually(patience, [&] {
    for (const auto& each : server.keys()) {
      if (!has(each, "holdfast:fence:")) return false;
    }
    return true;
  }));
}

}  // namespace
}  // namespace holdfast::test
