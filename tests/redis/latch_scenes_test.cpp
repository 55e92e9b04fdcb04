// holdfast::latch on one server and on a quorum: counting, waiting, limits, and what the servers keep for how long.
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/meeting_scenes.hpp"

namespace holdfast::test {
namespace {

struct latch_scenes : meeting_scenes {};

INSTANTIATE_TEST_SUITE_P(, latch_scenes, testing::Values(1, 3, 5), deployment_name);

TEST_P(latch_scenes, opens_when_all_have_counted_down) {
  latch here{redis, "done", 3};
  latch there{other, "done", 3};
  EXPECT_FALSE(there.try_wait());
  here.count_down();
  EXPECT_FALSE(here.try_wait());
  EXPECT_FALSE(here.wait_for(200ms));
  there.count_down(2);
  EXPECT_TRUE(here.try_wait());
  EXPECT_TRUE(there.try_wait());
  here.wait();
  EXPECT_TRUE(there.wait_for(0ms));
  EXPECT_EQ(here.expected(), 3);
  EXPECT_EQ(here.name(), "done");
  EXPECT_EQ(field("done", "phase"), "1");
  EXPECT_TRUE(only({"done"})) << testing::PrintToString(servers.left());
  EXPECT_TRUE((latch{redis, "none", 0}.try_wait())) << "nothing expected: open from the start";
  EXPECT_TRUE(servers.without_expiry().empty());
}

TEST_P(latch_scenes, every_waiter_is_told_by_the_last_count) {
  latch last{other, "done", 2};
  last.count_down();
  std::vector<std::future<result<void>>> waiters;
  for (int i = 0; i < 12; ++i) {
    waiters.push_back(std::async(std::launch::async, [&, i] {
      return latch{i % 2 == 0 ? redis : other, "done", 2}.wait(std::nothrow);
    }));
  }
  ASSERT_TRUE(servers.waiting("done", 12));
  last.count_down();
  for (auto& each : waiters) {
    ASSERT_EQ(each.wait_for(patience), std::future_status::ready);
    const auto waited = each.get();
    EXPECT_TRUE(waited) << waited.failure().detail;
  }
  // On a quorum a heartbeat may come between the messages of its nodes.
  const auto by_message = redis.stats().woken_by_push + other.stats().woken_by_push;
  EXPECT_GE(by_message, servers.is_quorum() ? 1U : 12U) << "by message, not by timer";
  EXPECT_LE(by_message, 12U);
  EXPECT_TRUE(only({"done"})) << testing::PrintToString(servers.left());
}

TEST_P(latch_scenes, arrive_and_wait_meets_the_others) {
  std::vector<std::future<void>> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(std::async(std::launch::async, [&, i] {
      latch{i % 2 == 0 ? redis : other, "done", 4}.arrive_and_wait();
    }));
  }
  for (auto& each : workers) ASSERT_EQ(each.wait_for(patience), std::future_status::ready);
  for (auto& each : workers) each.get();
}

TEST_P(latch_scenes, many_arrive_at_once) {
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
  EXPECT_TRUE(only({"done"})) << testing::PrintToString(servers.left());
}

TEST_P(latch_scenes, contradicting_counts_are_refused_and_both_are_named) {
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
  EXPECT_TRUE(only({"done"})) << "a quorum's guard was given back";
  first.count_down(2);
  EXPECT_TRUE(first.try_wait());
}

TEST_P(latch_scenes, a_limit_ends_the_wait_and_tells_how_many_are_missing) {
  latch done{redis, "done", 3, {.wait = 150ms}};
  done.count_down();
  const auto start = std::chrono::steady_clock::now();
  const auto waited = done.wait(std::nothrow);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::timed_out);
  EXPECT_TRUE(has(waited.failure().detail, "2 of 3 are missing at done")) << waited.failure().detail;
  EXPECT_GE(since(start), 150ms);
  EXPECT_FALSE(done.wait_for(200ms));
  EXPECT_FALSE(done.wait_until(std::chrono::system_clock::now() + 200ms));
  EXPECT_FALSE(done.wait_until(std::chrono::system_clock::now() - 1h));
  EXPECT_TRUE(servers.waiting("done", 0)) << "those who gave up have left the queue";
  EXPECT_TRUE(only({"done"})) << testing::PrintToString(servers.left());
}

TEST_P(latch_scenes, a_stop_token_ends_the_wait) {
  std::stop_source stop;
  latch done{redis, "done", 1, {.stop = stop.get_token()}};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(servers.waiting("done", 1));
  stop.request_stop();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  const auto waited = waiter.get();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::cancelled);
  EXPECT_TRUE(servers.waiting("done", 0));
}

TEST_P(latch_scenes, destroying_the_client_ends_the_wait) {
  std::optional<client> mine{servers.where()};
  latch done{*mine, "done", 1};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(servers.waiting("done", 1));
  mine.reset();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(waiter.get().code(), errc::cancelled);
  EXPECT_EQ(done.count_down(std::nothrow).code(), errc::cancelled);
  EXPECT_EQ(done.try_wait(std::nothrow).code(), errc::cancelled);
}

TEST_P(latch_scenes, every_key_expires_and_nothing_is_left) {
  client brief{hasty()};
  latch done{brief, "done", 2, {.ttl = 1s}};
  done.count_down();
  auto waiter = std::async(std::launch::async, [&] { latch{brief, "done", 2, {.ttl = 1s}}.wait(); });
  ASSERT_TRUE(servers.waiting("done", 1));
  if (!servers.is_quorum()) {
    EXPECT_EQ(servers[0].keys(), (std::vector<std::string>{"done", "{done}:seen", "{done}:waiters"}));
  }
  std::this_thread::sleep_for(2500ms);  // longer than the ttl: the waiter's heartbeats are uses
  EXPECT_TRUE(servers.without_expiry().empty());
  for (std::size_t i = 0; i < servers.size(); ++i) EXPECT_EQ(servers[i].number({"EXISTS", "done"}), 1);
  done.count_down();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  waiter.get();
  EXPECT_TRUE(done.try_wait()) << "stays open for late comers";
  EXPECT_TRUE(all_goes()) << testing::PrintToString(servers.left());
}

TEST_P(latch_scenes, what_the_servers_have_forgotten_is_lost_and_not_begun_anew) {
  latch counted{redis, "done", 2};
  counted.count_down();
  auto waiter = std::async(std::launch::async, [&] { return latch{redis, "done", 2}.wait(std::nothrow); });
  ASSERT_TRUE(servers.waiting("done", 1));
  forget("done");
  latch{other, "done", 2}.count_down();  // somebody who knows nothing of the first
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready) << "it would have waited for those who had arrived";
  const auto waited = waiter.get();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::lost) << waited.failure().detail;
  EXPECT_EQ(counted.count_down(std::nothrow).code(), errc::lost);
  EXPECT_EQ(field("done", "left"), "1");
}

TEST_P(latch_scenes, other_things_at_the_key_are_not_touched) {
  const lease held = redis.acquire("lock", {.ttl = 3s});
  servers.command({"HSET", "java", "285475da-9152-4c83-822a-67ee2f116a79:57", "1"});
  latch{redis, "latch", 1}.count_down();
  for (const char* name : {"lock", "java"}) {
    const auto refused = latch{redis, name, 2}.count_down(std::nothrow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.code(), errc::wrong_type) << refused.failure().detail;
    EXPECT_TRUE(has(refused.failure().detail, "not a latch")) << refused.failure().detail;
  }
  EXPECT_EQ(barrier(redis, "latch", 1).arrive(std::nothrow).code(), errc::wrong_type);
  EXPECT_EQ(redis.try_acquire("latch", {.ttl = 1s}).code(), errc::wrong_type);
  for (std::size_t i = 0; i < servers.size(); ++i) EXPECT_EQ(servers[i].number({"HLEN", "java"}), 1);
  EXPECT_TRUE(held);
}

TEST_P(latch_scenes, bad_arguments_are_refused) {
  const auto refusal = [&](std::ptrdiff_t expected, meeting_options how) {
    try {
      latch made{redis, "done", expected, how};
    } catch (const error& problem) {
      return problem.kind();
    }
    return errc{};
  };
  EXPECT_EQ(refusal(-1, {}), errc::bad_option);
  EXPECT_EQ(refusal(1'000'000'001, {}), errc::bad_option);
  EXPECT_EQ(refusal(1, {.ttl = 999ms}), errc::bad_option);
  EXPECT_EQ(refusal(1, {.wait = 0ms}), errc::bad_option);
  EXPECT_EQ(refusal(1, {.prefix = "a{"}), errc::bad_name);
  latch done{redis, "done", 2, {.prefix = "app:"}};
  EXPECT_EQ(done.count_down(std::nothrow, -1).code(), errc::bad_option);
  done.count_down(0);
  EXPECT_EQ(field("app:done", "left"), "2");
}

}  // namespace
}  // namespace holdfast::test
