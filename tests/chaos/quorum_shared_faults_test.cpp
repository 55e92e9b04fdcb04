// Readers and writers on a quorum whose nodes are dead, cut off or restarted, and whose clients die: what each failure does.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <thread>

#include "redis/quorum_common.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds slack{200};  // no waiter ends later than so much after its limit

// The whole life of a read-write lock, by two clients.
void use_all(client& one, client& two, const options& how) {
  options patient = how;
  patient.wait = 5000ms;
  auto reader = acquire_shared(std::nothrow, one, "door", patient);
  ASSERT_TRUE(reader) << reader.failure().detail;
  auto second = acquire_shared(std::nothrow, two, "door", patient);
  ASSERT_TRUE(second) << second.failure().detail;
  EXPECT_EQ(try_acquire_exclusive(two, "door", how).code(), errc::held);
  EXPECT_EQ(try_upgrade(*reader, how).code(), errc::held);
  EXPECT_EQ(second->release(), release_outcome::released);
  const auto up = upgrade(*reader, patient);
  ASSERT_TRUE(up) << up.failure().detail;
  EXPECT_EQ(try_acquire_shared(two, "door", how).code(), errc::held);
  const auto down = downgrade(*reader);
  ASSERT_TRUE(down) << down.failure().detail;
  auto third = acquire_shared(std::nothrow, two, "door", patient);
  ASSERT_TRUE(third) << third.failure().detail;
  EXPECT_EQ(third->release(), release_outcome::released);
  EXPECT_EQ(reader->release(), release_outcome::released);
}

TEST(QuorumSharedFaults, TwoDeadNodesOfFiveHinderNobody) {
  quorum_group nodes;
  client one{nodes.where()};
  client two{nodes.where()};
  const options how{.ttl = 3000ms};
  use_all(one, two, how);
  for (std::size_t i = 0; i < 2; ++i) {
    nodes.node(i).kill();
    for (int k = 0; k < 5; ++k) use_all(one, two, how);
  }
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumSharedFaults, TwoBlackHoledNodesOfFiveHinderNobody) {
  quorum_group nodes{{.gates = true}};
  client one{nodes.where()};
  client two{nodes.where()};
  const options how{.ttl = 3000ms};
  use_all(one, two, how);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::black_hole(direction::both));
  for (int k = 0; k < 5; ++k) use_all(one, two, how);
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::cut());
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumSharedFaults, AMajorityGoneEndsEverythingInTime) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  const options how{.ttl = 3000ms};
  options waits = how;
  waits.wait = 600ms;
  lease reader = acquire_shared(redis, "door", how);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::both));
  const auto in_time = [&](const char* what, const auto& call, std::chrono::milliseconds limit) {
    const auto start = steady_clock::now();
    EXPECT_EQ(call(), errc::unreachable) << what;
    EXPECT_LT(steady_clock::now() - start, limit + slack) << what;
  };
  in_time(
      "reader", [&] { return acquire_shared(std::nothrow, redis, "door", waits).code(); }, 600ms);
  in_time(
      "writer", [&] { return acquire_exclusive(std::nothrow, redis, "door", waits).code(); }, 600ms);
  in_time(
      "upgrade", [&] { return upgrade(reader, waits).code(); }, 600ms);
  in_time(
      "downgrade", [&] { return downgrade(reader).code(); }, nodes.where().command_timeout);
  EXPECT_TRUE(eventually(patience, [&] { return reader.state() == lease_state::LOST; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  EXPECT_TRUE(nothing_left(nodes));
}

// The votes arrive, the answers do not: the upgrade fails, and the reader's share must not go with it.
TEST(QuorumSharedFaults, AnUpgradeWhoseAnswersAreLostIsTakenBack) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  client other{nodes.where()};
  const options how{.ttl = 3000ms};
  lease reader = acquire_shared(redis, "door", how);
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 5; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::to_client));
  EXPECT_EQ(try_upgrade(reader, how).code(), errc::unreachable);
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).pass();
  EXPECT_TRUE(eventually(patience, [&] { return bool{try_acquire_shared(other, "door", how)}; }));
  EXPECT_EQ(reader.state(), lease_state::VALID);
  EXPECT_EQ(try_acquire_exclusive(other, "door", how).code(), errc::held);
  EXPECT_EQ(reader.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumSharedFaults, ACrashedHoldersShareEndsAndNoOther) {
  quorum_group nodes;
  client redis{nodes.where()};
  client other{nodes.where()};
  lease stays = acquire_shared(redis, "door", {.ttl = 2000ms});
  // As a process leaves it that is killed: nobody renews, nobody releases.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto now = std::stoll(nodes.node(i).command({"TIME"}).items.at(0).text);
    nodes.node(i).number({"ZADD", "door", "2", "#", std::to_string(now + 2) + "000000", "1:dead"});
  }
  options waits{.ttl = 2000ms};
  waits.wait = patience;
  auto writer =
      std::async(std::launch::async, [&] { return bool{acquire_exclusive(std::nothrow, other, "door", waits)}; });
  ASSERT_TRUE(eventually(patience, [&] { return nodes.node(0).number({"ZCARD", "{door}:waiters"}) == 1; }));
  EXPECT_EQ(stays.release(), release_outcome::released);
  EXPECT_TRUE(writer.get()) << "when the dead one's share has ended";
  EXPECT_TRUE(nothing_left(nodes));
}

// Its mark must not hold readers back for ever.
TEST(QuorumSharedFaults, ACrashedWaitingWriterHoldsReadersBackForAMomentOnly) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  lease reader = acquire_shared(redis, "door", {.ttl = 2000ms});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto at = nodes.node(i).command({"TIME"}).items.at(0).text + "000000";
    nodes.node(i).number({"ZADD", "{door}:waiters", at, "100000000*3000:0123456789abcdef:7:dead"});
    nodes.node(i).number({"PEXPIRE", "{door}:waiters", "15000"});
  }
  EXPECT_EQ(try_acquire_shared(redis, "door", {.ttl = 2000ms}).code(), errc::held);
  const auto start = steady_clock::now();
  options waits{.ttl = 2000ms};
  waits.wait = patience;
  EXPECT_TRUE(acquire_shared(std::nothrow, redis, "door", waits));
  EXPECT_LT(steady_clock::now() - start, 5000ms);
  EXPECT_EQ(reader.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST(QuorumSharedFaults, ARestartedNodeIsYoungAndThenHasTheShareAgain) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 2000ms}};
  client redis{nodes.where()};
  client other{nodes.where()};
  const options how{.ttl = 1000ms};
  lease reader = acquire_shared(redis, "door", how);
  lease writer = acquire_exclusive(redis, "desk", how);
  nodes.node(0).kill();
  nodes.node(0).restart();
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(try_acquire_exclusive(other, "door", how));
    EXPECT_FALSE(try_acquire_shared(other, "desk", how));
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 3 && nodes.holding("desk") == 3; }));
  EXPECT_EQ(reader.state(), lease_state::VALID);
  EXPECT_EQ(writer.state(), lease_state::VALID);
  EXPECT_EQ(nodes.node(0).text({"ZSCORE", "desk", "#"}), "100000000");
  EXPECT_EQ(reader.release(), release_outcome::released);
  EXPECT_EQ(writer.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
}

// A reader is re-added although a writer waits for it to leave.
TEST(QuorumSharedFaults, AWaitingWriterDoesNotKeepAReaderFromBeingReAdded) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 3000ms}};
  client redis{nodes.where()};
  client other{nodes.where()};
  lease reader = acquire_shared(redis, "door", {.ttl = 900ms});
  std::stop_source stop;
  options waits{.ttl = 2000ms};
  waits.stop = stop.get_token();
  auto writer =
      std::async(std::launch::async, [&] { return acquire_exclusive(std::nothrow, other, "door", waits).code(); });
  ASSERT_TRUE(eventually(patience, [&] { return nodes.node(1).number({"ZCARD", "{door}:waiters"}) == 1; }));
  nodes.node(1).number({"DEL", "door"});
  EXPECT_TRUE(eventually(patience, [&] { return nodes.node(1).number({"EXISTS", "door"}) == 1; }));
  stop.request_stop();
  EXPECT_EQ(writer.get(), errc::cancelled);
  EXPECT_EQ(reader.state(), lease_state::VALID);
}

// What a downgrade did not reach, a renewal does.
TEST(QuorumSharedFaults, ADowngradeThatMissedANodeIsMadeGoodByARenewal) {
  quorum_group nodes{{.nodes = 3, .gates = true}};
  client redis{nodes.where()};
  client other{nodes.where()};
  lease mine = acquire_exclusive(redis, "door", {.ttl = 1500ms});
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding("door") == 3; }));
  nodes.door(2).set(fault::black_hole(direction::both));
  ASSERT_TRUE(downgrade(mine));
  EXPECT_TRUE(eventually(patience, [&] { return bool{try_acquire_shared(other, "door", {.ttl = 1500ms})}; }));
  nodes.door(2).set(fault::cut());
  nodes.door(2).pass();
  EXPECT_TRUE(eventually(patience, [&] { return nodes.node(2).text({"ZSCORE", "door", "#"}) == "1"; }));
  EXPECT_EQ(mine.state(), lease_state::VALID);
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_TRUE(nothing_left(nodes));
}

}  // namespace
}  // namespace holdfast::test
