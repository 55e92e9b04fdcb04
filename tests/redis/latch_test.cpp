// holdfast::latch on a live server: counting, waiting, limits, what the server keeps and for how long.
#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <thread>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

// Ids are remembered for 5 × (connect_timeout + command_timeout), and the ttl is not shorter: 1.5 s here.
settings hasty(const std::string& url) {
  settings how = at(url);
  how.connect_timeout = 100ms;
  how.command_timeout = 200ms;
  return how;
}

struct Latch : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};

  bool waiting(const std::string& name, long long count) { return queue_reaches(server, name, count); }
};

TEST_F(Latch, OpensWhenAllHaveCountedDown) {
  latch here{redis, "done", 3};
  latch there{other, "done", 3};
  EXPECT_FALSE(there.try_wait());
  here.count_down();
  there.count_down(2);
  EXPECT_TRUE(here.try_wait());
  EXPECT_TRUE(there.try_wait());
  here.wait();
  EXPECT_TRUE(there.wait_for(0ms));
  EXPECT_EQ(here.expected(), 3);
  EXPECT_EQ(here.name(), "done");
  EXPECT_TRUE((latch{redis, "none", 0}.try_wait())) << "nothing expected: open from the start";
  EXPECT_TRUE(server.keys_without_expiry().empty());
}

TEST_F(Latch, EveryWaiterIsToldByTheLastCount) {
  latch last{other, "done", 2};
  last.count_down();
  std::vector<std::future<void>> waiters;
  for (int i = 0; i < 12; ++i) {
    waiters.push_back(std::async(std::launch::async, [&] { latch{redis, "done", 2}.wait(); }));
  }
  ASSERT_TRUE(waiting("done", 12));
  last.count_down();
  for (auto& each : waiters) ASSERT_EQ(each.wait_for(patience), std::future_status::ready);
  for (auto& each : waiters) each.get();
  EXPECT_EQ(redis.stats().woken_by_push, 12U) << "by message, not by timer";
  EXPECT_EQ(server.number({"EXISTS", waiters_of("done")}), 0);
}

TEST_F(Latch, MoreWaitersThanOneStepTellsAreToldInBatches) {
  latch last{other, "done", 1};
  EXPECT_FALSE(last.try_wait());
  const std::string inbox(16, 'a');
  auto hearer = server.connect();
  hearer.send({"SUBSCRIBE", "holdfast:inbox:" + inbox});
  (void)hearer.receive();
  for (int i = 0; i < 1203; ++i) {
    const std::string number = std::to_string(i);
    server.number({"ZADD", waiters_of("done"), std::to_string(1'700'000'000'000'000 + i),
                   "0;3000:" + inbox + ":" + number + ":owner" + number});
  }
  const auto before = scripts_run(server);
  last.count_down();
  EXPECT_GE(scripts_run(server) - before, 3) << "1203 in steps of 500";
  EXPECT_EQ(server.number({"EXISTS", waiters_of("done")}), 0);
  for (int i = 0; i < 1203; ++i) {
    const auto told = hearer.receive();
    ASSERT_EQ(told.items.at(2).text, std::to_string(i) + " " + std::to_string(1'700'000'000'000'000 + i));
  }
}

TEST_F(Latch, ArriveAndWaitMeetsTheOthers) {
  std::vector<std::future<void>> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(std::async(std::launch::async, [&, i] {
      latch{i % 2 == 0 ? redis : other, "done", 4}.arrive_and_wait();
    }));
  }
  for (auto& each : workers) ASSERT_EQ(each.wait_for(patience), std::future_status::ready);
  for (auto& each : workers) each.get();
}

TEST_F(Latch, ContradictingCountsAreRefusedAndBothAreNamed) {
  latch first{redis, "done", 3};
  first.count_down();
  latch second{other, "done", 5};
  for (const auto& refused : {second.count_down(std::nothrow), second.wait(std::nothrow)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.code(), errc::bad_option);
    EXPECT_TRUE(has(refused.failure().detail, "made for 3")) << refused.failure().detail;
    EXPECT_TRUE(has(refused.failure().detail, "says 5")) << refused.failure().detail;
  }
  const auto too_many = first.count_down(std::nothrow, 3);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.code(), errc::bad_option);
  EXPECT_TRUE(has(too_many.failure().detail, "3 arrive at the latch, which waits for 2")) << too_many.failure().detail;
  first.count_down(2);
  EXPECT_TRUE(first.try_wait());
}

TEST_F(Latch, ALimitEndsTheWaitAndTellsHowManyAreMissing) {
  latch done{redis, "done", 3, {.wait = 150ms}};
  done.count_down();
  const auto start = std::chrono::steady_clock::now();
  const auto waited = done.wait(std::nothrow);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::timed_out);
  EXPECT_TRUE(has(waited.failure().detail, "2 of 3 are missing at done")) << waited.failure().detail;
  EXPECT_GE(since(start), 150ms);
  EXPECT_FALSE(done.wait_for(50ms));
  EXPECT_FALSE(done.wait_until(std::chrono::system_clock::now() + 20ms));
  EXPECT_FALSE(done.wait_until(std::chrono::system_clock::now() - 1h));
  EXPECT_TRUE(waiting("done", 0)) << "those who gave up have left the queue";
}

TEST_F(Latch, AStopTokenEndsTheWait) {
  std::stop_source stop;
  latch done{redis, "done", 1, {.stop = stop.get_token()}};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  stop.request_stop();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  const auto waited = waiter.get();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::cancelled);
  EXPECT_TRUE(waiting("done", 0));
}

TEST_F(Latch, DestroyingTheClientEndsTheWait) {
  std::optional<client> mine{at(server)};
  latch done{*mine, "done", 1};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  mine.reset();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(waiter.get().code(), errc::cancelled);
  EXPECT_EQ(done.count_down(std::nothrow).code(), errc::cancelled);
}

TEST_F(Latch, EveryKeyExpiresAndNothingIsLeft) {
  client brief{hasty(server.url())};
  latch done{brief, "done", 2, {.ttl = 1s}};
  done.count_down();
  auto waiter = std::async(std::launch::async, [&] { latch{brief, "done", 2, {.ttl = 1s}}.wait(); });
  ASSERT_TRUE(waiting("done", 1));
  EXPECT_EQ(server.keys(), (std::vector<std::string>{"done", "{done}:seen", "{done}:waiters"}));
  std::this_thread::sleep_for(2500ms);  // longer than the ttl: the waiter's heartbeats are uses
  EXPECT_TRUE(server.keys_without_expiry().empty());
  EXPECT_EQ(server.number({"EXISTS", "done"}), 1);
  done.count_down();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  waiter.get();
  EXPECT_TRUE(done.try_wait()) << "stays open for late comers";
  EXPECT_TRUE(eventually(patience, [&] { return server.keys().empty(); })) << testing::PrintToString(server.keys());
}

TEST_F(Latch, OldIdsAreForgotten) {
  client brief{hasty(server.url())};
  latch done{brief, "done", 1000};
  for (int i = 0; i < 20; ++i) done.count_down();
  EXPECT_EQ(server.number({"ZCARD", "{done}:seen"}), 20);
  std::this_thread::sleep_for(1600ms);
  for (int i = 0; i < 20; ++i) done.count_down();
  EXPECT_EQ(server.number({"ZCARD", "{done}:seen"}), 20) << "each arrival forgets up to two";
  EXPECT_EQ(server.number({"HLEN", "done"}), 7 + 20);
  EXPECT_EQ(server.text({"HGET", "done", "left"}), "960");
}

TEST_F(Latch, WhatTheServerHasForgottenIsLostAndNotBegunAnew) {
  latch counted{redis, "done", 2};
  counted.count_down();
  auto waiter = std::async(std::launch::async, [&] { return latch{redis, "done", 2}.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  server.command({"FLUSHALL"});
  latch{other, "done", 2}.count_down();  // somebody who knows nothing of the first
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready) << "it would have waited for those who had arrived";
  const auto waited = waiter.get();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::lost);
  EXPECT_EQ(counted.count_down(std::nothrow).code(), errc::lost);
  EXPECT_EQ(server.text({"HGET", "done", "left"}), "1");
}

TEST_F(Latch, OtherThingsAtTheKeyAreNotTouched) {
  const lease held = redis.acquire("lock");
  server.command({"HSET", "java", "285475da-9152-4c83-822a-67ee2f116a79:57", "1"});
  latch{redis, "latch", 1}.count_down();
  for (const char* name : {"lock", "java"}) {
    const auto refused = latch{redis, name, 2}.count_down(std::nothrow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.code(), errc::wrong_type);
    EXPECT_TRUE(has(refused.failure().detail, "not a latch")) << refused.failure().detail;
  }
  EXPECT_EQ(barrier(redis, "latch", 1).arrive(std::nothrow).code(), errc::wrong_type);
  EXPECT_EQ(redis.try_acquire("latch").code(), errc::wrong_type);
  EXPECT_EQ(server.number({"HLEN", "java"}), 1);
  EXPECT_TRUE(held);
}

TEST_F(Latch, BadArgumentsAreRefused) {
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
  EXPECT_EQ(server.text({"HGET", "app:done", "left"}), "2");
}

}  // namespace
}  // namespace holdfast::test
