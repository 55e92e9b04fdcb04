// holdfast::barrier on one server and on a quorum: phases, dropping out, tokens, what is left.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/meeting_scenes.hpp"

namespace holdfast::test {
namespace {

struct barrier_scenes : meeting_scenes {};

INSTANTIATE_TEST_SUITE_P(, barrier_scenes, testing::Values(1, 3, 5), deployment_name);

TEST_P(barrier_scenes, nobody_enters_a_phase_before_all_have_left_the_last) {
  constexpr int people = 5;
  const std::size_t phases = servers.is_quorum() ? 30 : 60;
  std::array<std::atomic<int>, 60> ended{};
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
  if (!servers.is_quorum()) {
    EXPECT_EQ(redis.stats().woken_by_timer + other.stats().woken_by_timer, 0U) << "all by message";
  }
  EXPECT_TRUE(servers.without_expiry().empty());
  EXPECT_TRUE(only({"step"})) << testing::PrintToString(servers.left());
}

TEST_P(barrier_scenes, a_token_outlives_its_phase) {
  barrier step{redis, "step", 2};
  const auto first = step.arrive();
  EXPECT_FALSE(step.wait_for(first, 200ms));
  const auto same = barrier{other, "step", 2}.arrive();
  EXPECT_EQ(same.phase, first.phase);
  step.wait(first);
  const auto second = step.arrive(2);
  EXPECT_EQ(second.phase, first.phase + 1);
  EXPECT_TRUE(step.wait_for(second, 0ms));
  EXPECT_TRUE(step.wait_until(first, std::chrono::steady_clock::now()));
}

TEST_P(barrier_scenes, the_others_time_out_when_one_does_not_come) {
  barrier step{redis, "step", 3, {.wait = 200ms}};
  barrier late{other, "step", 3};
  (void)late.arrive();
  const auto arrived = step.arrive();
  const auto waited = step.wait(std::nothrow, arrived);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::timed_out);
  EXPECT_TRUE(has(waited.failure().detail, "1 of 3 are missing at step")) << waited.failure().detail;
  (void)late.arrive();  // in place of the one who is missing
  step.wait(arrived);
}

TEST_P(barrier_scenes, whoever_drops_out_is_not_waited_for_again) {
  barrier step{redis, "step", 3};
  const auto first = step.arrive();
  barrier leaving{other, "step", 3};
  leaving.arrive_and_drop();
  leaving.arrive_and_drop();
  step.wait(first);
  step.arrive_and_wait();
  step.arrive_and_wait();
  EXPECT_EQ(field("step", "members"), "1");
  EXPECT_EQ(step.arrive(std::nothrow, 2).code(), errc::bad_option);
}

TEST_P(barrier_scenes, when_all_have_dropped_out_nothing_is_left) {
  client brief{hasty()};
  barrier step{brief, "step", 2};
  const auto first = step.arrive();
  step.arrive_and_drop();
  step.arrive_and_drop();
  step.wait(first);
  EXPECT_EQ(field("step", "members"), "0");
  for (std::size_t i = 0; i < servers.size(); ++i) {
    EXPECT_LE(servers[i].number({"PTTL", "step"}), 1500) << "not the ttl of a day";
  }
  // Whoever begins anew under the name is not in the way of those who were there, and the other way round.
  barrier again{brief, "step", 2};
  const auto next = again.arrive();
  step.wait(first);
  EXPECT_FALSE(again.wait_for(next, 0ms));
  again.arrive_and_drop();
  again.wait(next);
  again.arrive_and_drop();
  EXPECT_TRUE(all_goes()) << testing::PrintToString(servers.left());
}

TEST_P(barrier_scenes, another_number_is_refused_and_both_are_named) {
  const auto token = barrier{redis, "step", 3}.arrive();
  barrier four{other, "step", 4};
  const auto refused = four.arrive(std::nothrow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::bad_option);
  EXPECT_TRUE(has(refused.failure().detail, "made for 3, and this call says 4")) << refused.failure().detail;
  const auto waited = four.wait_for(std::nothrow, token, 0ms);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::bad_option) << waited.failure().detail;
  EXPECT_THROW((barrier{redis, "step", 0}), error);
  EXPECT_EQ(barrier(redis, "step", 3).arrive(std::nothrow, 0).code(), errc::bad_option);
  EXPECT_TRUE(only({"step"})) << "a quorum's guard was given back";
}

TEST_P(barrier_scenes, a_stop_token_ends_the_wait_but_not_the_arrival) {
  std::stop_source stop;
  barrier step{redis, "step", 2, {.stop = stop.get_token()}};
  auto waiter = std::async(std::launch::async, [&] { return step.arrive_and_wait(std::nothrow); });
  ASSERT_TRUE(servers.waiting("step", 1));
  stop.request_stop();
  EXPECT_EQ(waiter.get().code(), errc::cancelled);
  EXPECT_EQ(field("step", "left"), "1");
  barrier{other, "step", 2}.arrive_and_wait();
}

TEST_P(barrier_scenes, what_the_servers_have_forgotten_is_lost) {
  barrier step{redis, "step", 2};
  auto waiter = std::async(std::launch::async, [&] { return step.arrive_and_wait(std::nothrow); });
  ASSERT_TRUE(servers.waiting("step", 1));
  forget("step");
  (void)barrier{other, "step", 2}.arrive(2);  // another barrier, whose phase passes
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(waiter.get().code(), errc::lost) << "its own phase never passed";
}

}  // namespace
}  // namespace holdfast::test
