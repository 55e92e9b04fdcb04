// Latch and barrier on a quorum: the same as on one Redis, on three and on five nodes. What they leave on the nodes,
// and need of them: quorum_meeting_keys_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/quorum_meeting_fixture.hpp"

namespace holdfast::test {
namespace {

using std::chrono::steady_clock;

// Also for the tests in quorum_meeting_keys_test.cpp.
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
