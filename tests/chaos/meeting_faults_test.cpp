// Latch and barrier when things go wrong: lost answers, broken links, lost messages, dead processes.
#include <signal.h>

#include <future>

#include "chaos/bystander.hpp"
#include "support/gate.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
constexpr auto patience = 10s;

const std::string counts{scripts::meet_count.sha1};
const std::string waits{scripts::meet_wait.sha1};

struct MeetingFaults : testing::Test {
  MeetingFaults() {
    for (const auto* each : {&scripts::meet_count, &scripts::meet_wait, &scripts::meet_leave}) {
      server.text({"SCRIPT", "LOAD", std::string{each->source}});
    }
    EXPECT_TRUE(through.ping());
  }
  std::string left(const std::string& name) { return server.text({"HGET", name, "left"}); }
  bool waiting(const std::string& name, long long count) {
    return eventually(patience, [&] { return server.number({"ZCARD", "{" + name + "}:waiters"}) == count; });
  }
  process start(const char* kind, const std::string& name, int expected, const char* what) {
    process made{{helper("meeter"), server.url(), kind, name, std::to_string(expected), what}};
    EXPECT_EQ(made.read_line(patience), "ready");
    return made;
  }
  static settings patient(const std::string& url) {
    auto how = quick(url);
    how.connect_timeout = 3s;  // a busy machine has time to connect again within one call
    return how;
  }

  redis_server server;
  gate between{server.port()};
  client through{patient(between.url())};
  client direct{quick(server.url())};
};

// The server has counted and its answer is lost: the repetition counts nothing more, and is told the same phase.
TEST_F(MeetingFaults, ALostAnswerCountsOnce) {
  latch done{through, "done", 5};
  between.when(counts, fault::cut(), moment::executed);
  const auto before = server.command_calls("evalsha");
  done.count_down(2);
  EXPECT_EQ(between.triggered(), 1U);
  EXPECT_EQ(server.command_calls("evalsha") - before, 2) << "the answer was lost, so it was sent again";
  EXPECT_EQ(left("done"), "3");
  barrier step{through, "step", 2};
  EXPECT_EQ(step.arrive().phase, 0U);
  between.when(counts, fault::cut(), moment::executed);
  EXPECT_EQ(step.arrive().phase, 0U) << "it completed phase 0, though phase 1 is under way when it asks again";
  EXPECT_EQ(between.triggered(), 2U);
  EXPECT_EQ(server.text({"HGET", "step", "phase"}), "1");
  EXPECT_EQ(left("step"), "2");
}

TEST_F(MeetingFaults, ALinkThatBreaksAroundAnArrivalCountsOnce) {
  latch done{through, "done", 100};
  std::size_t faults = 0;
  int counted = 0;
  for (const auto& what : {fault::cut(), fault::reset()}) {
    for (const auto at : {moment::before, moment::after, moment::executed}) {
      between.when(counts, what, at);
      done.count_down();
      EXPECT_EQ(between.triggered(), ++faults);
      EXPECT_EQ(left("done"), std::to_string(100 - ++counted));
    }
  }
}

TEST_F(MeetingFaults, WithoutAnAnswerTheCallerIsToldThatItMayHaveCounted) {
  client hasty{quick(between.url())};
  ASSERT_TRUE(hasty.ping());
  latch done{hasty, "done", 2};
  between.when(counts, fault::drop_reply(), moment::after);
  const auto counted = done.count_down(std::nothrow);
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.code(), errc::unreachable);
  EXPECT_EQ(counted.failure().sent, delivery::unanswered);
  EXPECT_EQ(left("done"), "1") << "once, although it was sent more than once";
}

// D14: a message that is lost costs one heartbeat, not the wait.
TEST_F(MeetingFaults, D14_ALostMessageDoesNotHangTheWaiter) {
  for (const std::string name : {"latch", "barrier"}) {
    auto waiter = std::async(std::launch::async, [&] {
      return name == "latch" ? latch{through, name, 1}.wait(std::nothrow)
                             : barrier{through, name, 2}.arrive_and_wait(std::nothrow);
    });
    ASSERT_TRUE(waiting(name, 1));
    const auto before = between.triggered();
    between.when_reply("$7\r\nmessage\r\n", fault::drop_reply(1));
    if (name == "latch") {
      latch{direct, name, 1}.count_down();
    } else {
      (void)barrier{direct, name, 2}.arrive();
    }
    ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready) << name << " hangs";
    EXPECT_TRUE(waiter.get());
    EXPECT_EQ(between.triggered(), before + 1) << "the message was there, and was lost";
  }
  EXPECT_EQ(through.stats().woken_by_timer, 2U);
  EXPECT_EQ(through.stats().woken_by_push, 0U);
}

TEST_F(MeetingFaults, AWaiterSurvivesBrokenLinksAndLostAnswers) {
  const std::pair<fault, moment> kinds[] = {{fault::cut(), moment::before},
                                            {fault::cut(), moment::executed},
                                            {fault::reset(), moment::after},
                                            {fault::drop_reply(), moment::after},
                                            {fault::delay(50ms), moment::after}};
  int round = 0;
  for (const auto& [what, at] : kinds) {
    const std::string name = "done" + std::to_string(round++);
    between.pass();
    between.when(waits, what, at);
    auto waiter = std::async(std::launch::async, [&] { return latch{through, name, 1}.wait(std::nothrow); });
    ASSERT_TRUE(between.wait_triggered(static_cast<std::size_t>(round)));
    ASSERT_TRUE(waiting(name, 1));
    latch{direct, name, 1}.count_down();
    if (what.what == fault::kind::drop_reply) {
      EXPECT_EQ(waiter.wait_for(500ms), std::future_status::timeout) << "nobody has told it";
      between.pass();
    }
    ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready) << name;
    const auto waited = waiter.get();
    EXPECT_TRUE(waited) << waited.failure().detail;
    EXPECT_TRUE(waiting(name, 0));
  }
}

TEST_F(MeetingFaults, TheLimitHoldsWhenTheServerIsSilent) {
  latch done{through, "done", 1};
  ASSERT_FALSE(done.try_wait());
  between.when(waits, fault::black_hole(direction::both));
  const auto start = boottime_ns();
  const auto waited = done.wait_for(std::nothrow, 700ms);
  EXPECT_LT(boottime_ns() - start, std::chrono::nanoseconds{5s}.count());
  ASSERT_FALSE(waited);
  EXPECT_TRUE(waited.code() == errc::unreachable || waited.code() == errc::timed_out) << waited.failure().detail;
}

TEST_F(MeetingFaults, AKilledWaiterIsInNobodysWay) {
  process dies = start("latch", "done", 1, "wait");
  process lives = start("latch", "done", 1, "wait");
  ASSERT_TRUE(waiting("done", 2));
  dies.kill();
  ASSERT_TRUE(dies.wait(patience));
  latch{direct, "done", 1, {.ttl = 1s}}.count_down();
  EXPECT_EQ(lives.read_line(patience), "done");
  EXPECT_TRUE(waiting("done", 0)) << "the dead one's entry is gone with the others";
  server.number({"PEXPIRE", "done", "1"});
  server.number({"PEXPIRE", "{done}:seen", "1"});
  expect_nothing_left(server, 5s);
}

TEST_F(MeetingFaults, WhatAKilledProcessCountedStands) {
  process dies = start("latch", "done", 2, "arrive");
  ASSERT_EQ(dies.read_line(patience), "arrived");
  dies.kill();
  ASSERT_TRUE(dies.wait(patience));
  latch done{direct, "done", 2};
  done.count_down();
  EXPECT_TRUE(done.try_wait());
}

TEST_F(MeetingFaults, AParticipantThatDiedIsMissedAndCanBeReplaced) {
  process dies = start("barrier", "step", 3, "wait");
  ASSERT_TRUE(waiting("step", 1));
  barrier step{direct, "step", 3};
  const auto first = step.arrive();
  process also = start("barrier", "step", 3, "wait");
  EXPECT_EQ(also.read_line(patience), "done");
  step.wait(first);
  EXPECT_EQ(dies.read_line(patience), "done");
  dies.kill();  // between two phases
  ASSERT_TRUE(dies.wait(patience));
  const auto second = step.arrive(2);
  const auto waited = step.wait_for(std::nothrow, second, 200ms);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::timed_out);
  EXPECT_NE(waited.failure().detail.find("1 of 3 are missing at step"), std::string::npos) << waited.failure().detail;
  process replaces = start("barrier", "step", 3, "wait");
  EXPECT_EQ(replaces.read_line(patience), "done");
  step.wait(second);
}

// With RESP2 and without the right to subscribe there is no inbox: waiters poll.
TEST_F(MeetingFaults, WithoutAnInboxItPolls) {
  redis_server guarded{{.users = {"user app on >secret ~* -@all +@all -subscribe"}}};
  auto how = quick(guarded.url());
  how.user = "app";
  how.password = "secret";
  client polls{how};
  auto waiter = std::async(std::launch::async, [&] { return latch{polls, "done", 1}.wait(std::nothrow); });
  ASSERT_TRUE(eventually(patience, [&] { return guarded.number({"EXISTS", "done"}) == 1; }));
  latch{polls, "done", 1}.count_down();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(waiter.get());
}

}  // namespace
}  // namespace holdfast::test
