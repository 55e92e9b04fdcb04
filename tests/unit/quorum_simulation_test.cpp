// The quorum's machines in a made-up world (quorum_world.hpp): exclusion and increasing fences over loss, delay, drift and
// crashes; and the same with one rule broken, which must show, or the world would be too kind to prove anything.
//
// Every failure prints its seed; one world is repeated with HOLDFAST_TEST_SEED=<seed>.
#include "unit/quorum_world.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

namespace holdfast::lock {
namespace {

std::uint64_t first_seed() {
  const char* given = std::getenv("HOLDFAST_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}
bool is_repeated() { return std::getenv("HOLDFAST_TEST_SEED") != nullptr; }  // one world shows little
unsigned how_many(unsigned worlds) { return is_repeated() ? 1 : worlds; }

void add(world_report& sum, const world_report& one) {
  sum.holds += one.holds;
  sum.renewals += one.renewals;
  sum.write_backs += one.write_backs;
  sum.re_added += one.re_added;
  sum.opened += one.opened;
  sum.crashes += one.crashes;
  sum.upgrades += one.upgrades;
  sum.downgrades += one.downgrades;
  sum.overlaps += one.overlaps;
  sum.inversions += one.inversions;
}

// Runs several worlds; each must be right unless a rule is broken, and then it is counted how often it was not.
world_report live(const world_shape& shape, unsigned worlds, const rules& how = {}) {
  const bool must_be_right = how.guard && how.write_back && how.own_owner;
  world_report sum;
  const std::uint64_t first = first_seed();
  for (unsigned i = 0; i < how_many(worlds); ++i) {
    SCOPED_TRACE("HOLDFAST_TEST_SEED=" + std::to_string(first + i));
    const world_report one = quorum_world{first + i, shape, how}.run();
    if (must_be_right) {
      EXPECT_EQ(one.overlaps, 0U);
      EXPECT_EQ(one.inversions, 0U);
    }
    add(sum, one);
  }
  std::cout << sum.holds << " holds, " << sum.renewals << " renewals, " << sum.write_backs << " write-backs, "
            << sum.re_added << " re-added, " << sum.upgrades << " upgrades, " << sum.downgrades << " downgrades, "
            << sum.crashes << " crashes; " << sum.overlaps << " overlaps, " << sum.inversions << " inversions\n";
  return sum;
}

TEST(QuorumSimulation, ExclusionAndFencesOverLossDelayAndDrift) {
  for (const std::size_t nodes : {3U, 4U, 5U}) {
    const auto seen = live({.nodes = nodes}, 10);
    if (is_repeated()) continue;
    EXPECT_GT(seen.holds, 200U) << nodes << " nodes";
    EXPECT_GT(seen.renewals, 50U);
    EXPECT_GT(seen.write_backs, 50U);
    EXPECT_GT(seen.re_added, 0U);
  }
}

TEST(QuorumSimulation, ExclusionAndFencesOverCrashes) {
  for (const std::size_t nodes : {3U, 4U, 5U}) {
    const auto seen = live({.nodes = nodes, .crashes = 0.7, .disasters = 0.1}, 10);
    if (is_repeated()) continue;
    EXPECT_GT(seen.holds, 100U) << nodes << " nodes";
    EXPECT_GT(seen.crashes, 100U);
  }
}

TEST(QuorumSimulation, WithoutTheRestartGuardTwoHold) {
  EXPECT_GT(live({.nodes = 3, .crashes = 3, .disasters = 1}, 10, {.guard = false}).overlaps, 0U);
}

constexpr world_shape contended{.nodes = 5, .clients = 6, .loss = 0.05, .slow = 0.05};

TEST(QuorumSimulation, TheNaiveMaximumInverts) {
  const auto seen = live(contended, 10, {.write_back = false});
  EXPECT_GT(seen.inversions, 0U);
  EXPECT_EQ(seen.overlaps, 0U) << "only the fences suffer";
}

// The world without write-back is the same but for that, and in order.
TEST(QuorumSimulation, TheWriteBackDoesNot) { EXPECT_GT(live(contended, 10).holds, is_repeated() ? 0U : 300U); }

// Few clients: without the marks of those who wait, which are no matter of the machines, readers would keep the writers out.
TEST(QuorumSimulation, ReadersAndWritersOverLossDelayDriftAndCrashes) {
  for (const std::size_t nodes : {3U, 4U, 5U}) {
    const world_shape mixed{
        .nodes = nodes, .clients = 3, .crashes = 0.5, .disasters = 0.1, .readers = 0.4, .changes = 0.5};
    const auto seen = live(mixed, 10);
    if (is_repeated()) continue;
    EXPECT_GT(seen.holds, 300U) << nodes << " nodes";
    EXPECT_GT(seen.upgrades, 5U);
    EXPECT_GT(seen.downgrades, 5U);
  }
}

TEST(QuorumSimulation, WithoutTheRestartGuardAReaderAndAWriterHold) {
  const world_shape rough{.nodes = 3, .crashes = 3, .disasters = 1, .readers = 0.5};
  EXPECT_GT(live(rough, 10, {.guard = false}).overlaps, 0U);
}

// What takes back one try to upgrade comes after the next one has won, and makes its votes a reader's.
TEST(QuorumSimulation, AnUpgradeUnderTheReadersOwnerIsTakenBackByAnEarlierOne) {
  const world_shape busy{.nodes = 3, .clients = 3, .loss = 0.01, .slow = 0.2, .readers = 0.5, .changes = 0.9};
  EXPECT_GT(live(busy, 10, {.own_owner = false}).overlaps, 0U);
  EXPECT_GT(live(busy, 10).upgrades, is_repeated() ? 0U : 5U) << "and with its own, nothing is";
}

TEST(QuorumSimulation, AFreshQuorumOpensByItself) {
  using namespace std::chrono_literals;
  const world_shape quiet{.loss = 0, .slow = 0};
  world_shape old = quiet;
  old.uptime = 10s;
  const auto just_started = quorum_world{first_seed(), quiet, {}}.run();
  const auto running = quorum_world{first_seed(), old, {}}.run();
  ASSERT_TRUE(just_started.first_hold && running.first_hold);
  EXPECT_GE(*just_started.first_hold, 295ms) << "max_ttl, by the fastest clock";
  EXPECT_EQ(just_started.opened, 0U);
  EXPECT_LT(*running.first_hold, 200ms);
  EXPECT_GE(running.opened, 5U);
}

}  // namespace
}  // namespace holdfast::lock
