// Latch and barrier on a quorum whose nodes die or are cut off, whose answers are lost and whose writers die half way.
// Nodes that forget or lag behind: quorum_meeting_restarts_test.cpp.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "chaos/quorum_meeting_ground.hpp"
#include "scripts/sources.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

using namespace quorum_meetings;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

// A URL that says what quorum_group::where() does.
std::string url_of(const quorum_group& nodes) {
  return nodes.url() + "?max_ttl=3s&node_timeout=500ms&command_timeout=5s";
}

class QuorumMeetingLosses : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Nodes, QuorumMeetingLosses, testing::Values(1U, 2U));

TEST_P(QuorumMeetingLosses, KilledNodesOfFiveHinderNobody) {
  quorum_group nodes;
  client redis{nodes.where()};
  client other{nodes.where()};
  latch done{redis, "done", 4};
  done.count_down();
  barrier step{redis, "step", 2};
  const auto first = step.arrive();
  auto waiter = std::async(std::launch::async, [&] { return latch{other, "done", 4}.wait(std::nothrow); });
  ASSERT_TRUE(waiting(nodes, "done", 1));
  for (std::size_t i = 0; i < GetParam(); ++i) nodes.node(i).kill();
  done.count_down();
  latch{other, "done", 4}.count_down(2);
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  const auto waited = waiter.get();
  EXPECT_TRUE(waited) << waited.failure().detail;
  EXPECT_FALSE(step.wait_for(first, 10ms));
  EXPECT_EQ((barrier{other, "step", 2}.arrive().phase), 0U);
  step.wait(first);
  EXPECT_TRUE((latch{other, "new", 0}.try_wait()));
}

TEST_P(QuorumMeetingLosses, BlackHoledNodesOfFiveHinderNobody) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  client other{nodes.where()};
  barrier step{redis, "step", 2};
  barrier also{other, "step", 2};
  auto before = std::async(std::launch::async, [&] { also.arrive_and_wait(); });
  step.arrive_and_wait();
  before.get();
  for (std::size_t i = 0; i < GetParam(); ++i) nodes.door(i).set(fault::black_hole(direction::both));
  for (int i = 0; i < 10; ++i) {
    auto with = std::async(std::launch::async, [&] { return also.arrive_and_wait(std::nothrow); });
    const auto met = step.arrive_and_wait(std::nothrow);
    EXPECT_TRUE(met) << met.failure().detail;
    ASSERT_EQ(with.wait_for(patience), std::future_status::ready);
    EXPECT_TRUE(with.get());
  }
  EXPECT_EQ(at(nodes.node(4), "step", "phase"), "11");
}

TEST(QuorumMeetingFaults, WithoutAMajorityItIsUnreachableInTime) {
  quorum_group nodes;
  settings how = nodes.where();
  how.connect_timeout = 500ms;
  how.command_timeout = 500ms;
  client redis{how};
  latch done{redis, "done", 2};
  done.count_down();
  for (std::size_t i = 0; i < 3; ++i) nodes.node(i).kill();
  const auto timed = [&](auto&& call) {
    const auto start = steady_clock::now();
    const auto got = call();
    EXPECT_LT(steady_clock::now() - start, 4s);
    EXPECT_FALSE(got);
    EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
    EXPECT_NE(got.failure().detail.find(" of 5 nodes answered, 3 are needed"), std::string::npos)
        << got.failure().detail;
    EXPECT_EQ(got.failure().sent, delivery::not_sent);
  };
  timed([&] { return done.count_down(std::nothrow); });
  timed([&] { return done.try_wait(std::nothrow); });
  timed([&] { return done.wait_for(std::nothrow, 2s); });
}

// The answers of so many are lost that the writer does not know; what it repeats counts once.
TEST(QuorumMeetingFaults, LostAnswersCountOnce) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  latch done{redis, "done", 100'000};
  barrier step{redis, "step", 1};
  done.count_down();
  EXPECT_EQ(step.arrive().phase, 0U);
  const std::string writes{scripts::quorum_meet_write.sha1};
  const auto arm = [&](std::size_t how_many, moment when) {
    for (std::size_t i = 0; i < how_many; ++i) nodes.door(i).when(writes, fault::cut(), when);
  };
  // How many have been cut; those that were not connected, and so not asked, are not armed any more.
  const auto disarm = [&] {
    std::size_t cuts = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes.door(i).disarm();
      cuts += nodes.door(i).triggered();
    }
    return cuts;
  };
  const auto left = [&](std::size_t node) { return at(nodes.node(node), "done", "left"); };
  std::uint64_t counted = 1;
  std::size_t cuts = 0;
  for (const auto when : {moment::before, moment::executed}) {
    for (const std::size_t how_many : {1U, 3U, 5U}) {
      arm(how_many, when);
      done.count_down();
      ++counted;
      EXPECT_TRUE(eventually(patience, [&] { return left(4) == std::to_string(100'000 - counted); })) << left(4);
      arm(how_many, when);
      EXPECT_EQ(step.arrive().phase, counted - 1) << how_many;
      const std::size_t now = disarm();
      EXPECT_TRUE(how_many == 1 || now > cuts) << how_many;
      cuts = now;
    }
  }
  EXPECT_TRUE(eventually(patience, [&] {
    done.count_down();
    ++counted;
    return together(nodes, "done") && left(0) == std::to_string(100'000 - counted);
  }));
}

TEST(QuorumMeetingFaults, AWriterThatDiedWithTheGuardCostsItsTtl) {
  quorum_group nodes;
  client redis{nodes.where()};
  latch done{redis, "done", 2};
  done.count_down();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).text({"SET", "{done}:guard", "somebody", "PX", "1500"});
  }
  const auto start = steady_clock::now();
  done.count_down();
  EXPECT_GT(steady_clock::now() - start, 1s);
  EXPECT_TRUE(done.try_wait());
}

// A phase that was completed on two nodes, by somebody who died; one node is away, so neither side is a majority.
TEST(QuorumMeetingFaults, WhatAWriterLeftHalfDoneIsSettledByThoseWhoWait) {
  quorum_group nodes;
  client redis{nodes.where()};
  latch done{redis, "done", 1};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting(nodes, "done", 1));
  ASSERT_TRUE(eventually(patience, [&] { return together(nodes, "done"); }));
  const auto version = std::stoull(at(nodes.node(0), "done", "version")) + 1;
  for (const std::size_t i : {0U, 1U}) {
    nodes.node(i).number({"HSET", "done", "version", std::to_string(version), "left", "0", "phase", "1"});
  }
  EXPECT_EQ(waiter.wait_for(1500ms), std::future_status::timeout) << "three of five say that it has not passed";
  nodes.node(4).kill();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  const auto waited = waiter.get();
  EXPECT_TRUE(waited) << waited.failure().detail;
  EXPECT_TRUE(done.wait_for(0ms));
  EXPECT_TRUE(together(nodes, "done"));
  EXPECT_EQ(at(nodes.node(3), "done", "phase"), "1");
}

TEST(QuorumMeetingFaults, WithoutMessagesHeartbeatsDo) {
  quorum_group nodes;
  client redis{nodes.where()};
  client other{nodes.where()};
  auto waiter = std::async(std::launch::async, [&] { return latch{redis, "done", 1}.wait(std::nothrow); });
  ASSERT_TRUE(waiting(nodes, "done", 1));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).number({"DEL", "{done}:waiters"});
  latch{other, "done", 1}.count_down();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(waiter.get());
}

TEST(QuorumMeetingFaults, KilledProcessesAreInNobodysWayAndWhatTheyCountedStands) {
  quorum_group nodes;
  client redis{nodes.where()};
  const auto start = [&](const char* what) {
    process made{{helper("meeter"), url_of(nodes), "latch", "done", "2", what}};
    EXPECT_EQ(made.read_line(patience), "ready");
    return made;
  };
  process counts = start("arrive");
  ASSERT_EQ(counts.read_line(patience), "arrived");
  process dies = start("wait");
  process lives = start("wait");
  ASSERT_TRUE(waiting(nodes, "done", 2));
  for (process* each : {&counts, &dies}) {
    each->kill();
    ASSERT_TRUE(each->wait(patience));
  }
  latch{redis, "done", 2}.count_down();
  EXPECT_EQ(lives.read_line(patience), "done");
  EXPECT_TRUE(waiting(nodes, "done", 0));
}

}  // namespace
}  // namespace holdfast::test
