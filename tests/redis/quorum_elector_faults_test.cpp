// Leader election on a quorum with nodes that are cut off, restarted or killed, and leaders that die.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <string>
#include <thread>

#include "redis/quorum_elector.hpp"
#include "scripts/sources.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

TEST(QuorumElectorFaults, BlackHoledNodesDoNotHinderALook) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 3000ms}};
  const lease held = seat.campaign();
  EXPECT_EQ(who_leads(redis), "one");
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::black_hole(direction::both));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(who_leads(redis), "one");
  EXPECT_LT(since(start), nodes.where().command_timeout) << "nobody waits for those that are not needed";
  nodes.door(2).set(fault::black_hole(direction::both));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(who_leads(redis), "unreachable");
  EXPECT_LT(since(begun), nodes.where().command_timeout + 1s);
}

TEST(QuorumElectorFaults, ALeaderThatIsCutOffStopsBeforeTheNextOneStarts) {
  quorum_group nodes{{.gates = true}};
  std::string url = "redis+quorum://";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    url += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(nodes.node(i).port());
  }
  settings direct = at(url);
  direct.max_ttl = nodes.where().max_ttl;
  direct.node_timeout = nodes.where().node_timeout;
  client through{nodes.where()};
  client beside{direct};
  using clock = std::chrono::steady_clock;
  std::atomic<clock::time_point> told{clock::time_point{}};
  std::atomic<clock::time_point> began{clock::time_point{}};
  elector one{through,
              "seat",
              {.id = "one", .ttl = 1500ms, .stop_margin = 300ms, .deposed = [&](std::uint64_t, deposition why) {
                 if (why == deposition::lost) told = clock::now();
               }}};
  one.start();
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  const auto term = one.term();
  notes heard;
  const leader_watch watch{beside, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("one"));
  elector two{beside, "seat", {.id = "two", .ttl = 1500ms, .elected = [&](std::uint64_t, const std::stop_token&) {
                                 began = clock::now();
                               }}};
  two.start();
  ASSERT_TRUE(waits_on(nodes, 1));
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::both));
  ASSERT_TRUE(eventually(patience, [&] { return two.leads() && told.load() != clock::time_point{}; }));
  EXPECT_LT(told.load(), began.load());
  EXPECT_GT(two.term(), term);
  EXPECT_TRUE(heard.end_with("two"));
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).pass();
  const auto after = two.term();
  ASSERT_TRUE(waits_on(nodes, 1, 4)) << "the deposed one is a candidate again";
  two.stop();
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  EXPECT_GT(one.term(), after);
  EXPECT_EQ(who_leads(beside), "one");
}

TEST(QuorumElectorFaults, ARestartedNodeIsYoungAndHasTheRecordAgainWhenItMayVote) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1500ms}};
  client redis{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 900ms}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == 3; }));
  const auto term = seat.term();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    nodes.node(i).kill();
    nodes.node(i).restart();
    EXPECT_TRUE(eventually(patience, [&] { return nodes.holding(record) == 3; })) << i;
    EXPECT_GE(since(start), 1500ms) << "a young node has neither vote nor record";
    EXPECT_EQ(who_leads(redis), "one");
  }
  EXPECT_TRUE(seat.leads());
  EXPECT_EQ(seat.term(), term) << "a rolling restart deposes nobody";
}

TEST(QuorumElectorFaults, AWatchWithoutAMajorityTellsNobodyWhenTheLeaseHasEnded) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 2000ms}};
  client redis{nodes.where()};
  client other{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 1500ms}};
  seat.start();
  notes heard;
  const leader_watch watch{other, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("one"));
  nodes.node(0).kill();
  nodes.node(1).kill();
  EXPECT_TRUE(heard.end_with("nobody")) << "what cannot be asked is not believed for ever";
  EXPECT_FALSE(seat.leads());
  nodes.node(0).restart();
  nodes.node(1).restart();
  EXPECT_TRUE(heard.end_with("one")) << "elected again when the nodes may vote";
}

TEST(QuorumElectorFaults, AnAnnouncementOfWhichAMajorityDoesNotHearGivesTheLeadershipUp) {
  quorum_group nodes{{.nodes = 3, .gates = true}};
  client redis{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 2000ms}};
  { const lease warm = seat.campaign(); }
  ASSERT_TRUE(nothing_left(nodes));
  for (const std::size_t i : {0U, 1U}) {
    nodes.door(i).when(std::string{scripts::quorum_leader_renew.sha1}, fault::black_hole(direction::both));
  }
  const auto got = seat.campaign(std::nothrow, {}, patience);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::cut());
  for (const std::size_t i : {0U, 1U}) nodes.door(i).pass();
  EXPECT_TRUE(nothing_left(nodes));
  EXPECT_TRUE(seat.campaign(std::nothrow, {}, patience));
}

int lead_and_tell(const settings& where) {
  client redis{where};
  elector seat{redis, "seat", {.id = "child", .ttl = 1000ms}};
  seat.run({}, [](std::uint64_t term, const std::stop_token&) {
    std::cout << term << std::endl;
    std::this_thread::sleep_for(60s);
  });
  return 0;
}

// Terms over a leader that dies, with a node killed in between.
TEST(QuorumElectorFaults, ADeadLeaderIsFollowedUnderAGreaterTermAlsoWithANodeKilled) {
  quorum_group nodes;
  std::uint64_t last = 0;
  for (std::size_t round = 0; round < 3; ++round) {
    auto dying = fork_child([&] { return lead_and_tell(nodes.where()); });
    const auto line = dying.read_line(patience);
    ASSERT_TRUE(line && !line->empty());
    const std::uint64_t term = std::stoull(*line);
    EXPECT_GT(term, last);
    client redis{nodes.where()};
    EXPECT_EQ(who_leads(redis), "child");
    notes heard;
    const leader_watch watch{redis, "seat", heard.callback()};
    ASSERT_TRUE(heard.end_with("child"));
    elector next{redis, "seat", {.id = "next", .ttl = 1000ms}};
    next.start();
    ASSERT_TRUE(waits_on(nodes, 1, 4));
    dying.kill();
    EXPECT_TRUE(dying.wait(patience));
    if (round < 2) nodes.node(round).kill();
    ASSERT_TRUE(eventually(patience, [&] { return next.leads(); })) << round;
    EXPECT_GT(next.term(), term);
    EXPECT_TRUE(heard.end_with("next"));
    last = next.term();
    next.stop();
  }
  EXPECT_TRUE(nothing_left(nodes));
}

}  // namespace
}  // namespace holdfast::test
