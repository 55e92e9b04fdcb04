// Latch and barrier on a quorum whose nodes lag behind, forget or come back empty: one at a time, too many, and one
// after the other while many arrive. Nodes and writers that die: quorum_meeting_faults_test.cpp.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <iostream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "chaos/quorum_meeting_ground.hpp"

namespace holdfast::test {
namespace {

using namespace quorum_meetings;
using namespace std::chrono_literals;

TEST(QuorumMeetingFaults, ANodeThatLagsIsBroughtUpToDateByWhoeverWaits) {
  quorum_group nodes;
  client redis{nodes.where()};
  latch done{redis, "done", 2};
  done.count_down();
  auto waiter = std::async(std::launch::async, [&] { return latch{redis, "done", 2}.wait(std::nothrow); });
  ASSERT_TRUE(waiting(nodes, "done", 1));
  ASSERT_TRUE(eventually(patience, [&] { return together(nodes, "done"); }));
  nodes.node(1).number({"DEL", "done"});
  nodes.node(3).number({"HSET", "done", "version", "1", "left", "2"});
  EXPECT_TRUE(eventually(patience, [&] { return together(nodes, "done"); }));
  EXPECT_EQ(at(nodes.node(3), "done", "left"), "1");
  EXPECT_EQ(waiter.wait_for(0ms), std::future_status::timeout);
  done.count_down();
  EXPECT_TRUE(waiter.get());
}

// Every node loses all it has, one after the other, and the count stands as long as somebody waits.
TEST(QuorumMeetingFaults, ARollingRestartWithoutPersistenceKeepsTheCount) {
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms}};
  client redis{nodes.where()};
  client other{nodes.where()};
  latch done{redis, "done", 3};
  done.count_down(2);
  auto waiter = std::async(std::launch::async, [&] { return latch{other, "done", 3}.wait(std::nothrow); });
  ASSERT_TRUE(waiting(nodes, "done", 1));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).kill();
    nodes.node(i).restart();
    EXPECT_EQ(at(nodes.node(i), "done", "version"), "");
    EXPECT_TRUE(eventually(patience, [&] { return together(nodes, "done"); })) << i;
  }
  EXPECT_EQ(waiter.wait_for(0ms), std::future_status::timeout);
  EXPECT_EQ(at(nodes.node(2), "done", "left"), "1");
  done.count_down();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  const auto waited = waiter.get();
  EXPECT_TRUE(waited) << waited.failure().detail;
}

TEST(QuorumMeetingFaults, YoungNodesStoreAndDoNotCount) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 2000ms}};
  settings how = nodes.where();
  how.connect_timeout = 200ms;
  how.command_timeout = 300ms;
  client redis{how};
  latch done{redis, "done", 9};
  done.count_down();
  nodes.node(0).kill();
  nodes.node(0).restart();
  done.count_down();
  EXPECT_TRUE(eventually(patience, [&] { return at(nodes.node(0), "done", "left") == "7"; })) << "stored";
  nodes.node(1).kill();
  nodes.node(1).restart();
  const auto refused = done.count_down(std::nothrow);  // two of three are young
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::server_busy) << refused.failure().detail;
  EXPECT_TRUE(eventually(patience, [&] { return done.count_down(std::nothrow).has_value(); }));
  EXPECT_EQ(at(nodes.node(2), "done", "left"), "6");
}

TEST(QuorumMeetingFaults, WhatTooManyHaveForgottenIsLost) {
  quorum_group nodes{{.nodes = 3}};
  client redis{nodes.where()};
  latch done{redis, "done", 5};
  done.count_down();
  ASSERT_TRUE(eventually(patience, [&] { return together(nodes, "done"); }));
  const std::string before = at(nodes.node(0), "done", "version");
  done.count_down();
  ASSERT_TRUE(
      eventually(patience, [&] { return together(nodes, "done") && at(nodes.node(0), "done", "version") != before; }));
  // Two have an older one, as if they had been restored from what they had on disk.
  for (const std::size_t i : {0U, 1U}) nodes.node(i).number({"HSET", "done", "version", before, "left", "4"});
  const auto rest = done.count_down(std::nothrow);
  ASSERT_FALSE(rest);
  EXPECT_EQ(rest.code(), errc::lost) << rest.failure().detail;
  EXPECT_NE(rest.failure().detail.find("forgotten"), std::string::npos) << rest.failure().detail;
  latch gone{redis, "gone", 5};
  gone.count_down();
  ASSERT_TRUE(eventually(patience, [&] { return together(nodes, "gone"); }));
  for (const std::size_t i : {0U, 1U}) nodes.node(i).number({"DEL", "gone"});
  EXPECT_EQ(gone.count_down(std::nothrow).code(), errc::lost);
}

// Many count while each node in turn is stopped, cut off, killed: not one is lost, none counts twice.
TEST(QuorumMeetingFaults, NoArrivalIsLostOrCountedTwiceWhileNodesFail) {
  constexpr std::ptrdiff_t expected = 1'000'000;
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms, .gates = true}};
  std::atomic<bool> over{false};
  std::atomic<std::ptrdiff_t> counted{0};
  std::atomic<std::ptrdiff_t> perhaps{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      settings how = nodes.where();
      how.node_timeout = 100ms;
      how.connect_timeout = i % 2 == 0 ? 300ms : 3000ms;
      how.command_timeout = 300ms;
      client redis{how};
      latch done{redis, "done", expected};
      for (std::ptrdiff_t n = 1; !over; n = n % 3 + 1) {
        const auto got = done.count_down(std::nothrow, n);
        if (got) {
          counted += n;
        } else {
          EXPECT_NE(got.code(), errc::bad_option) << got.failure().detail;
          EXPECT_NE(got.code(), errc::lost) << got.failure().detail;
          if (got.failure().sent == delivery::unanswered) perhaps += n;
        }
      }
    });
  }
  const auto goes_on = [&] {
    return eventually(patience, [&, before = counted.load()] { return counted > before + 10; });
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(goes_on()) << i;
    nodes.node(i).pause();
    EXPECT_TRUE(goes_on()) << i << " stopped";
    nodes.node(i).resume();
    nodes.door(i).set(fault::black_hole(direction::to_client));
    EXPECT_TRUE(goes_on()) << i << " unheard";
    nodes.door(i).set(fault::cut());
    nodes.door(i).set(fault::delay(30ms));
    nodes.door((i + 1) % 5).set(fault::cut());
    EXPECT_TRUE(goes_on()) << i << " slow, and another cut";
    nodes.door(i).pass();
    nodes.door((i + 1) % 5).pass();
    nodes.node(i).kill();
    nodes.node(i).restart();
    EXPECT_TRUE(goes_on()) << i << " restarted empty";
    EXPECT_TRUE(eventually(patience, [&] { return !at(nodes.node(i), "done", "version").empty(); })) << i;
    std::this_thread::sleep_for(1100ms);  // max_ttl: never more than one is young
  }
  over = true;
  threads.clear();
  client redis{nodes.where()};
  latch last{redis, "done", expected};
  ASSERT_TRUE(eventually(patience, [&] {
    last.count_down();  // brings all together that are connected
    ++counted;
    return together(nodes, "done");
  }));
  const auto left = std::stoll(at(nodes.node(0), "done", "left"));
  std::cout << "counted " << counted << ", perhaps " << perhaps << '\n';
  EXPECT_LE(left, expected - counted);
  EXPECT_GE(left, expected - counted - perhaps);
  EXPECT_TRUE(nodes.without_expiry().empty());
}

// Nobody enters a phase before all have left the last, whatever happens to a minority.
TEST(QuorumMeetingFaults, ABarrierUnderFailingNodesLetsNobodyAhead) {
  constexpr int people = 3;
  quorum_group nodes{{.nodes = 5, .max_ttl = 1000ms, .gates = true}};
  std::atomic<bool> over{false};
  std::array<std::atomic<std::uint64_t>, people> done{};
  std::atomic<int> early{0};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < people; ++i) {
    threads.emplace_back([&, i] {
      settings how = nodes.where();
      how.node_timeout = 100ms;
      client redis{how};
      barrier step{redis, "step", people};
      while (!over) {
        const std::uint64_t mine = ++done[i];
        const auto met = step.arrive_and_wait(std::nothrow);
        EXPECT_TRUE(met) << met.failure().detail;
        if (!met) break;
        for (const auto& each : done) early += each < mine ? 1 : 0;
      }
      done[i] = std::numeric_limits<std::uint64_t>::max();  // it arrives once more, and is not ahead
      static_cast<void>(step.arrive_and_drop(std::nothrow));
    });
  }
  const auto goes_on = [&] {
    return eventually(patience, [&, before = done[0].load()] { return done[0] > before + 5; });
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(goes_on()) << i;
    nodes.node(i).pause();
    EXPECT_TRUE(goes_on()) << i << " stopped";
    nodes.node(i).resume();
    nodes.node(i).kill();
    nodes.node(i).restart();
    EXPECT_TRUE(goes_on()) << i << " restarted empty";
    std::this_thread::sleep_for(1100ms);
    nodes.door(i).set(fault::cut());
    nodes.door(i).set(fault::delay(20ms));
    EXPECT_TRUE(goes_on()) << i << " slow";
    nodes.door(i).pass();
  }
  over = true;
  threads.clear();
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace holdfast::test
