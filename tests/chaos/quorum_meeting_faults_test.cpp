// Latch and barrier on a quorum whose nodes die, are cut off, forget or lag behind, and whose writers die half way.
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <iostream>
#include <limits>
#include <thread>
#include <vector>

#include "scripts/sources.hpp"
#include "support/eventually.hpp"
#include "support/places.hpp"
#include "support/process.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds patience{15'000};

std::string at(redis_server& node, const std::string& key, const std::string& name) {
  const auto got = node.command({"HGET", key, name});
  return got.type == reply::kind::nil ? std::string{} : got.text;
}

// All nodes that run have the same of it.
bool together(quorum_group& nodes, const std::string& key) {
  std::string first;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.node(i).pid() <= 0) continue;
    const std::string here = at(nodes.node(i), key, "version");
    if (here.empty() || (!first.empty() && here != first)) return false;
    first = here;
  }
  return !first.empty();
}

bool waiting(quorum_group& nodes, const std::string& name, long long count) {
  return eventually(patience, [&] {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.node(i).pid() > 0 && nodes.node(i).number({"ZCARD", "{" + name + "}:waiters"}) != count) return false;
    }
    return true;
  });
}

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
