// Latch and barrier on a quorum: the same as on one Redis, on three and on five nodes, with and without all of them.
#include <holdfast/holdfast.hpp>
#include <holdfast/inspect.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <map>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/quorum_group.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds patience{10'000};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class QuorumMeeting : public testing::TestWithParam<std::size_t> {
 protected:
  // What a majority has in a field, or nothing.
  std::string field(const std::string& key, const std::string& name) {
    std::map<std::string, std::size_t> told;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.node(i).pid() <= 0) continue;
      const auto got = nodes.node(i).command({"HGET", key, name});
      if (got.type != reply::kind::nil && ++told[got.text] > nodes.size() / 2) return got.text;
    }
    return {};
  }
  bool waiting(const std::string& name, long long count) {
    return eventually(patience, [&] {
      std::size_t there = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes.node(i).number({"ZCARD", "{" + name + "}:waiters"}) == count) ++there;
      }
      return there == nodes.size();
    });
  }
  // Only the meetings themselves: no guard, nobody who waits.
  bool only(std::vector<std::string> names) {
    return eventually(patience, [&] {
      for (const std::string& each : nodes.left_behind()) {
        if (std::ranges::find(names, each) == names.end()) return false;
      }
      return true;
    });
  }

  quorum_group nodes{{.nodes = GetParam()}};
  client redis{nodes.where()};
  client other{nodes.where()};
};

INSTANTIATE_TEST_SUITE_P(Of, QuorumMeeting, testing::Values(3U, 5U),
                         [](const auto& of) { return std::to_string(of.param) + "Nodes"; });

TEST_P(QuorumMeeting, ALatchOpensWhenAllHaveCounted) {
  latch done{redis, "done", 3};
  EXPECT_FALSE(done.try_wait());
  done.count_down(2);
  EXPECT_FALSE(done.try_wait());
  EXPECT_FALSE(done.wait_for(20ms));
  latch{other, "done", 3}.count_down();
  EXPECT_TRUE(done.try_wait());
  done.wait();
  EXPECT_TRUE(done.wait_for(0ms));
  EXPECT_EQ(field("done", "phase"), "1");
  EXPECT_TRUE(only({"done"})) << testing::PrintToString(nodes.left_behind());
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_TRUE((latch{other, "open", 0}.try_wait()));
}

TEST_P(QuorumMeeting, WaitersAreToldByMessage) {
  std::vector<std::future<result<void>>> waits;
  for (int i = 0; i < 6; ++i) {
    waits.push_back(std::async(std::launch::async, [&, i] {
      return latch{i % 2 == 0 ? redis : other, "done", 1}.wait(std::nothrow);
    }));
  }
  ASSERT_TRUE(waiting("done", 6));
  latch{redis, "done", 1}.count_down();
  for (auto& each : waits) {
    ASSERT_EQ(each.wait_for(patience), std::future_status::ready);
    const auto waited = each.get();
    EXPECT_TRUE(waited) << waited.failure().detail;
  }
  EXPECT_GT(redis.stats().woken_by_push + other.stats().woken_by_push, 0U);
  EXPECT_TRUE(only({"done"})) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumMeeting, NobodyEntersAPhaseBeforeAllHaveLeftTheLast) {
  constexpr int people = 4;
  constexpr int phases = 30;
  std::array<std::atomic<int>, phases> ended{};
  std::atomic<int> early{0};
  std::vector<std::future<void>> all;
  for (int i = 0; i < people; ++i) {
    all.push_back(std::async(std::launch::async, [&, i] {
      barrier step{i % 2 == 0 ? redis : other, "step", people};
      for (std::size_t phase = 0; phase < phases; ++phase) {
        ++ended[phase];
        step.arrive_and_wait();
        if (ended[phase] != people) ++early;
      }
    }));
  }
  for (auto& each : all) ASSERT_EQ(each.wait_for(60s), std::future_status::ready);
  for (auto& each : all) each.get();
  EXPECT_EQ(early, 0);
  EXPECT_EQ(field("step", "phase"), std::to_string(phases));
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_TRUE(only({"step"})) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumMeeting, ATokenOutlivesItsPhase) {
  barrier step{redis, "step", 2};
  const auto first = step.arrive();
  EXPECT_FALSE(step.wait_for(first, 30ms));
  const auto same = barrier{other, "step", 2}.arrive();
  EXPECT_EQ(same.phase, first.phase);
  step.wait(first);
  const auto second = step.arrive(2);
  EXPECT_EQ(second.phase, first.phase + 1);
  EXPECT_TRUE(step.wait_for(second, 0ms));
  EXPECT_TRUE(step.wait_until(first, steady_clock::now()));
}

TEST_P(QuorumMeeting, WhoeverDropsOutIsNotWaitedForAgainAndTheLastEndsIt) {
  settings how = nodes.where();
  how.connect_timeout = 300ms;
  how.command_timeout = 200ms;
  client brief{how};
  barrier step{brief, "step", 3};
  const auto first = step.arrive();
  barrier leaving{brief, "step", 3};
  leaving.arrive_and_drop();
  leaving.arrive_and_drop();
  step.wait(first);
  step.arrive_and_wait();
  EXPECT_EQ(field("step", "members"), "1");
  EXPECT_EQ(step.arrive(std::nothrow, 2).code(), errc::bad_option);
  step.arrive_and_drop();
  EXPECT_EQ(field("step", "members"), "0");
  // Whoever begins anew under the name is not in the way of those who were there, and the other way round.
  barrier again{brief, "step", 3};
  const auto next = again.arrive();
  step.wait(first);
  EXPECT_FALSE(again.wait_for(next, 0ms));
  again.arrive_and_drop();
  again.arrive_and_drop();
  again.wait(next);
  again.arrive_and_drop();
  EXPECT_TRUE(only({})) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumMeeting, ContradictingCountsAreRefusedAndBothAreNamed) {
  latch first{redis, "done", 3};
  first.count_down();
  latch second{other, "done", 5};
  for (const auto& refused : {second.count_down(std::nothrow), second.wait(std::nothrow)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.code(), errc::bad_option);
    EXPECT_TRUE(has(refused.failure().detail, "made for 3, and this call says 5")) << refused.failure().detail;
  }
  const auto too_many = first.count_down(std::nothrow, 3);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.code(), errc::bad_option);
  EXPECT_TRUE(has(too_many.failure().detail, "3 arrive at the latch, which waits for 2")) << too_many.failure().detail;
  const auto token = barrier{redis, "step", 3}.arrive();
  const auto other_number = barrier{redis, "step", 4}.wait_for(std::nothrow, token, 0ms);
  ASSERT_FALSE(other_number);
  EXPECT_EQ(other_number.code(), errc::bad_option) << other_number.failure().detail;
  EXPECT_TRUE(only({"done", "step"})) << "the guard was given back";
}

TEST_P(QuorumMeeting, ALimitEndsTheWaitAndTellsHowManyAreMissing) {
  latch done{redis, "done", 3, {.wait = 150ms}};
  done.count_down();
  const auto start = steady_clock::now();
  const auto waited = done.wait(std::nothrow);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::timed_out);
  EXPECT_TRUE(has(waited.failure().detail, "2 of 3 are missing at done")) << waited.failure().detail;
  EXPECT_GE(steady_clock::now() - start, 150ms);
  EXPECT_TRUE(only({"done"})) << "those who gave up have left the lists";
}

TEST_P(QuorumMeeting, AStopTokenAndTheEndOfTheClientEndTheWait) {
  std::stop_source stop;
  latch done{redis, "done", 1, {.stop = stop.get_token()}};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  stop.request_stop();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(waiter.get().code(), errc::cancelled);
  ASSERT_TRUE(waiting("done", 0));
  std::optional<client> mine{nodes.where()};
  latch closed{*mine, "done", 1};
  auto second = std::async(std::launch::async, [&] { return closed.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  mine.reset();
  ASSERT_EQ(second.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(second.get().code(), errc::cancelled);
  EXPECT_EQ(closed.count_down(std::nothrow).code(), errc::cancelled);
  EXPECT_EQ(closed.try_wait(std::nothrow).code(), errc::cancelled);
}

TEST_P(QuorumMeeting, OtherThingsAtTheKeyAreNotTouched) {
  const lease held = redis.acquire("lock", {.ttl = 3000ms});
  latch{redis, "latch", 1}.count_down();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).command({"HSET", "java", "285475da-9152-4c83-822a-67ee2f116a79:57", "1"});
  }
  for (const char* name : {"lock", "java"}) {
    const auto refused = latch{redis, name, 2}.count_down(std::nothrow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.code(), errc::wrong_type) << refused.failure().detail;
    EXPECT_TRUE(has(refused.failure().detail, "not a latch")) << refused.failure().detail;
  }
  EXPECT_EQ(barrier(redis, "latch", 1).arrive(std::nothrow).code(), errc::wrong_type);
  EXPECT_EQ(redis.try_acquire("latch", {.ttl = 1000ms}).code(), errc::wrong_type);
}

TEST_P(QuorumMeeting, WhatTheNodesHaveForgottenIsLostAndNotBegunAnew) {
  latch counted{redis, "done", 2};
  counted.count_down();
  auto waiter = std::async(std::launch::async, [&] { return latch{redis, "done", 2}.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).command({"DEL", "done"});
  latch{other, "done", 2}.count_down();  // somebody who knows nothing of the first
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  const auto waited = waiter.get();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::lost) << waited.failure().detail;
  EXPECT_EQ(counted.count_down(std::nothrow).code(), errc::lost);
  EXPECT_EQ(field("done", "left"), "1");
}

TEST_P(QuorumMeeting, EveryKeyExpiresAndNothingIsLeft) {
  settings how = nodes.where();
  how.connect_timeout = 100ms;
  how.command_timeout = 100ms;
  client brief{how};
  latch done{brief, "done", 2, {.ttl = 1s}};
  done.count_down();
  auto waiter = std::async(std::launch::async, [&] { latch{brief, "done", 2, {.ttl = 1s}}.wait(); });
  ASSERT_TRUE(waiting("done", 1));
  std::this_thread::sleep_for(2500ms);  // longer than the ttl: the waiter's heartbeats are uses
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_EQ(nodes.holding("done"), nodes.size());
  done.count_down();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  waiter.get();
  EXPECT_TRUE(done.try_wait()) << "stays open for late comers";
  EXPECT_TRUE(only({})) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumMeeting, OldIdsAreForgotten) {
  latch done{redis, "done", 1000};
  for (int i = 0; i < 20; ++i) done.count_down();
  const std::string ids = field("done", "ids");
  EXPECT_EQ(std::ranges::count(ids, ','), 0) << "of an object that has ended all but its last arrival: " << ids;
  for (int i = 0; i < 20; ++i) latch{redis, "done", 1000}.count_down();
  EXPECT_EQ(std::ranges::count(field("done", "ids"), ','), 20);
  EXPECT_EQ(field("done", "left"), "960");
}

TEST_P(QuorumMeeting, AFreshQuorumIsOpenedByTheFirstToArrive) {
  quorum_group young{{.nodes = GetParam(), .max_ttl = 300ms, .fresh = true}};
  client first{young.where()};
  latch done{first, "done", 2};
  done.count_down();
  EXPECT_FALSE(done.try_wait());
  done.count_down();
  EXPECT_TRUE(done.try_wait());
}

TEST_P(QuorumMeeting, IsSeenByWhoeverLooksAndItsGuardIsNot) {
  latch done{redis, "done", 3};
  done.count_down();
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  const std::string writer{redis.acquire("other", {.ttl = 1000ms}).owner()};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    static_cast<void>(nodes.node(i).text({"SET", "{done}:guard", writer, "PX", "1000"}));
  }
  const auto seen = inspect(other, "done");
  ASSERT_TRUE(seen) << seen.failure().detail;
  ASSERT_TRUE(seen->meeting);
  EXPECT_EQ(seen->kind, lock_kind::latch);
  EXPECT_EQ(seen->meeting->missing, 2U);
  EXPECT_EQ(seen->waiting, 1U);
  const auto all = list(other);
  ASSERT_TRUE(all) << all.failure().detail;
  ASSERT_EQ(all->locks.size(), 1U) << all->locks.back().name;
  EXPECT_EQ(all->locks[0].name, "done");
  done.count_down(2);
  EXPECT_TRUE(waiter.get());
}

TEST_P(QuorumMeeting, NeedsTheRightsThatAreListedAndNoMore) {
  const auto give = [&](const std::vector<std::string>& more) {
    std::vector<std::string> user{"ACL", "SETUSER", "app", "reset", "on", ">secret"};
    for (const auto* each : {&needed_rights, &optional_rights, &more})
      user.insert(user.end(), each->begin(), each->end());
    for (std::size_t i = 0; i < nodes.size(); ++i) static_cast<void>(nodes.node(i).text(user));
  };
  settings how = nodes.where();
  how.user = "app";
  how.password = "secret";
  how.prefix = "app:";
  give({"~holdfast:quorum", "+info"});
  {
    client without{how};
    for (const auto& refused :
         {latch{without, "done", 1}.count_down(std::nothrow), latch{without, "done", 1}.wait(std::nothrow)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.code(), errc::refused) << refused.failure().detail;
    }
  }
  give(quorum_rights);
  client with{how};
  latch done{with, "done", 1};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting("app:done", 1));
  latch{with, "done", 1}.count_down();
  EXPECT_TRUE(waiter.get());
  barrier step{with, "step", 1};
  step.arrive_and_wait();
  step.arrive_and_drop();
}

TEST_P(QuorumMeeting, ManyWaitersAreToldInSteps) {
  latch last{redis, "done", 1};
  EXPECT_FALSE(last.try_wait());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<std::string> join{"ZADD", "{done}:waiters"};
    for (int k = 0; k < 1203; ++k) {
      join.push_back(std::to_string(k));
      join.push_back("0;3000:abc:" + std::to_string(k) + ":owner");
    }
    join.insert(join.end(), {"9999", "1;3000:abc:9999:owner"});  // of a later phase: not to be told
    ASSERT_EQ(nodes.node(i).number(join), 1204);
  }
  last.count_down();
  // By a majority: whoever counts does not wait for the slowest.
  std::size_t told = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto still = nodes.node(i).list({"ZRANGE", "{done}:waiters", "0", "-1"});
    told += still == std::vector<std::string>{"1;3000:abc:9999:owner"} ? 1 : 0;
  }
  EXPECT_GT(told, nodes.size() / 2);
}

TEST_P(QuorumMeeting, ManyArriveAtOnce) {
  constexpr int people = 16;
  constexpr int each_counts = 5;
  std::vector<std::jthread> threads;
  for (int i = 0; i < people; ++i) {
    threads.emplace_back([&, i] {
      latch done{i % 2 == 0 ? redis : other, "done", people * each_counts};
      for (int k = 0; k < each_counts; ++k) done.count_down();
      done.wait();
    });
  }
  threads.clear();
  EXPECT_EQ(field("done", "left"), "0");
  EXPECT_TRUE(only({"done"})) << testing::PrintToString(nodes.left_behind());
}

}  // namespace
}  // namespace holdfast::test
