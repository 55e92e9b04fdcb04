// Random steps of several clients on read-write locks of a quorum, one at a time, against a model of a few lines.
//
// What the model refuses must be refused, always. What it grants must be granted soon: the votes of the step before may still be on
// their way to a minority of the nodes.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

constexpr int steps = 2500;
constexpr int names = 2;
constexpr int holders = 5;  // each with a client of its own

struct door_model {
  std::set<int> reads;
  int writes = -1;

  [[nodiscard]] bool may_read() const { return writes < 0; }
  [[nodiscard]] bool may_write() const { return writes < 0 && reads.empty(); }
  [[nodiscard]] bool may_upgrade(int who) const { return writes < 0 && reads.size() == 1 && reads.contains(who); }
};

struct QuorumSharedModel : testing::TestWithParam<std::size_t> {
  quorum_group nodes{{.nodes = GetParam()}};
  std::vector<std::unique_ptr<client>> clients;
  std::map<std::pair<int, int>, lease> held;  // by name and holder
  door_model doors[names];
  std::uint64_t last_writer[names] = {};
  std::uint64_t last[names] = {};
  std::mt19937_64 random{make_seed()};
  const options how{.ttl = 3000ms};

  int pick(int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }
  static std::string name(int which) { return "door" + std::to_string(which); }

  // `expected`: the model's word. True if it was done.
  template <class Try>
  bool take(bool expected, const Try& attempt) {
    if (!expected) {
      const auto got = attempt();
      EXPECT_FALSE(got);
      if (!got) {
        EXPECT_EQ(got.code(), errc::held) << got.failure().detail;
      }
      return false;
    }
    const bool done = eventually(patience, [&] { return bool{attempt()}; });
    EXPECT_TRUE(done) << "granted by the model";
    return done;
  }

  void check_fence(int which, std::uint64_t fence, bool writes) {
    EXPECT_GT(fence, writes ? last[which] : last_writer[which]);
    last[which] = std::max(last[which], fence);
    if (writes) last_writer[which] = fence;
  }

  void begin(int which, int who, bool writes) {
    door_model& door = doors[which];
    lease& mine = held[{which, who}];
    const bool done = take(writes ? door.may_write() : door.may_read(), [&]() -> result<void> {
      auto got = writes ? try_acquire_exclusive(*clients[static_cast<std::size_t>(who)], name(which), how)
                        : try_acquire_shared(*clients[static_cast<std::size_t>(who)], name(which), how);
      if (!got) return got.failure();
      mine = std::move(*got);
      return {};
    });
    if (!done) return;
    check_fence(which, mine.fence(), writes);
    if (writes) {
      door.writes = who;
    } else {
      door.reads.insert(who);
    }
  }

  void go_on(int which, int who, bool writes) {
    door_model& door = doors[which];
    lease& mine = held[{which, who}];
    ASSERT_EQ(mine.state(), lease_state::VALID);
    const int what = pick(4);
    if (what == 0) {
      EXPECT_TRUE(mine.extend(std::nothrow, 2500ms));
    } else if (what == 1 && writes) {
      const auto fence = mine.fence();
      ASSERT_TRUE(downgrade(mine));
      EXPECT_EQ(mine.fence(), fence);
      door.writes = -1;
      door.reads.insert(who);
    } else if (what == 1) {
      if (!take(door.may_upgrade(who), [&] { return try_upgrade(mine, how); })) return;
      check_fence(which, mine.fence(), true);
      door.reads.erase(who);
      door.writes = who;
    } else {
      EXPECT_EQ(mine.release(), release_outcome::released);
      door.reads.erase(who);
      if (writes) door.writes = -1;
    }
  }

  void step() {
    const int which = pick(names);
    const int who = pick(holders);
    const bool writes = doors[which].writes == who;
    if (writes || doors[which].reads.contains(who)) return go_on(which, who, writes);
    begin(which, who, pick(3) == 0);
  }
};

INSTANTIATE_TEST_SUITE_P(Nodes, QuorumSharedModel, testing::Values(3U, 5U),
                         [](const auto& of) { return "Of" + std::to_string(of.param); });

TEST_P(QuorumSharedModel, RandomStepsDoWhatAModelDoes) {
  for (int i = 0; i < holders; ++i) clients.push_back(std::make_unique<client>(nodes.where()));
  for (int i = 0; i < steps && !HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    step();
  }
  EXPECT_TRUE(nodes.without_expiry().empty());
  held.clear();
  EXPECT_TRUE(eventually(patience, [&] { return nodes.left_behind().empty(); }))
      << testing::PrintToString(nodes.left_behind());
}

}  // namespace
}  // namespace holdfast::test
