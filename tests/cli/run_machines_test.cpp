// What `run` decides without acting: the plan at a loss, the terms, the ticks. No server, no processes.
#include <gtest/gtest.h>
#include <signal.h>

#include "run/plan.hpp"
#include "run/terms.hpp"
#include "run/tick.hpp"
#include "stop.hpp"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using act = loss_plan::act;

constexpr boot_time start{1000s};

TEST(RunPlan, SignalsAtTheDeadlineAndKillsAfterTheGrace) {
  loss_plan plan{loss_policy::stop, 5s};
  EXPECT_FALSE(plan.wake_at());
  EXPECT_TRUE(plan.proven(start + 24s));
  EXPECT_FALSE(plan.proven(start + 24s)) << "no news";
  EXPECT_EQ(plan.wake_at(), start + 24s);
  EXPECT_EQ(plan.kill_at(), start + 29s);
  EXPECT_EQ(plan.timer(start + 24s), act::nothing) << "the lease decides, not the timer";
  EXPECT_TRUE(plan.proven(start + 44s));
  EXPECT_EQ(plan.kill_at(), start + 49s);
  EXPECT_EQ(plan.lost(start + 44s, loss_cause::expired), act::signal);
  EXPECT_TRUE(plan.is_ending());
  EXPECT_EQ(plan.wake_at(), start + 49s);
  EXPECT_EQ(plan.timer(start + 48s), act::nothing);
  EXPECT_EQ(plan.timer(start + 49s), act::kill);
  EXPECT_FALSE(plan.is_ending());
  EXPECT_TRUE(plan.is_lost());
  EXPECT_EQ(plan.timer(start + 50s), act::nothing) << "once";
  EXPECT_FALSE(plan.wake_at());
}

TEST(RunPlan, GivesWhatIsLeftOfTheGraceWhenItHearsLate) {
  loss_plan plan{loss_policy::stop, 5s};
  plan.proven(start);
  EXPECT_EQ(plan.lost(start + 4s, loss_cause::expired), act::signal);
  EXPECT_EQ(plan.wake_at(), start + 5s);
  loss_plan later{loss_policy::stop, 5s};
  later.proven(start);
  EXPECT_EQ(later.lost(start + 5s, loss_cause::expired), act::kill);
}

TEST(RunPlan, KillsAtOnceWhatTheServerHasGivenAway) {
  for (const auto cause : {loss_cause::gone, loss_cause::taken, loss_cause::broken, loss_cause::closed}) {
    loss_plan plan{loss_policy::stop, 5s};
    plan.proven(start + 20s);
    EXPECT_EQ(plan.lost(start, cause), act::kill);
  }
  loss_plan by_time{loss_policy::stop, 5s};
  by_time.proven(start + 20s);
  EXPECT_EQ(by_time.lost(start + 20s, loss_cause::max_hold), act::signal);
}

TEST(RunPlan, WithoutAGraceKillsAtTheDeadline) {
  loss_plan plan{loss_policy::stop, 0s};
  plan.proven(start);
  EXPECT_EQ(plan.lost(start, loss_cause::expired), act::kill);
}

TEST(RunPlan, LeavesTheCommandAloneOnRequest) {
  loss_plan plan{loss_policy::ignore, 0s};
  plan.proven(start);
  EXPECT_FALSE(plan.kill_at()) << "the guard must not kill it either";
  EXPECT_EQ(plan.lost(start, loss_cause::expired), act::nothing);
  EXPECT_TRUE(plan.is_lost());
  EXPECT_FALSE(plan.is_ending());
  EXPECT_FALSE(plan.wake_at());
}

TEST(RunPlan, LearnsNothingAfterTheLoss) {
  loss_plan plan{loss_policy::stop, 5s};
  plan.proven(start);
  EXPECT_EQ(plan.lost(start, loss_cause::expired), act::signal);
  EXPECT_FALSE(plan.proven(start + 60s));
  EXPECT_EQ(plan.lost(start + 1s, loss_cause::gone), act::nothing);
  EXPECT_EQ(plan.wake_at(), start + 5s);
}

run_request request() {
  run_request asked;
  asked.name = "job";
  asked.command = {"true"};
  return asked;
}

TEST(RunTerms, HaveDefaultsThatFitTogether) {
  for (const auto ttl : {100ms, 300ms, 1000ms, 30'000ms, 3'600'000ms}) {
    run_request asked = request();
    asked.ttl = ttl;
    const run_terms got = check(asked);
    EXPECT_EQ(got.ttl, ttl);
    EXPECT_EQ(got.grace, std::min<std::chrono::milliseconds>(ttl / 4, 5s));
    EXPECT_GT(got.stop_margin, got.grace);
    EXPECT_LT(got.stop_margin * 2, ttl);
    EXPECT_EQ(got.stop_signal, SIGTERM);
  }
  EXPECT_EQ(check(request()).ttl, 30s);
}

TEST(RunTerms, GoByMaxHoldWhereItIsShorter) {
  run_request asked = request();
  asked.max_hold = 2s;
  EXPECT_EQ(check(asked).grace, 500ms);
  asked.grace = 900ms;
  EXPECT_THROW(static_cast<void>(check(asked)), stop);
}

TEST(RunTerms, TakeTheLongestGraceThatTheyName) {
  run_request asked = request();
  asked.ttl = 10s;
  asked.grace = 3999ms;
  EXPECT_EQ(check(asked).stop_margin, 4999ms);
  asked.grace = 4000ms;
  try {
    static_cast<void>(check(asked));
    FAIL();
  } catch (const stop& why) {
    EXPECT_NE(std::string{why.what()}.find("use a grace below 4.0 s"), std::string::npos) << why.what();
  }
}

TEST(RunTerms, ReadSignalsByNameAndNumber) {
  for (const char* text : {"signal:HUP", "signal:SIGHUP", "signal:1"}) {
    run_request asked = request();
    asked.on_lost = text;
    EXPECT_EQ(check(asked).stop_signal, SIGHUP);
  }
  for (const char* text : {"signal:", "signal:0", "signal:99", "signal:hup", "signal:HUP ", "", "KILL"}) {
    run_request asked = request();
    asked.on_lost = text;
    EXPECT_THROW(static_cast<void>(check(asked)), stop) << text;
  }
}

TEST(RunTick, BeginsAtMultiplesOfThePeriodALittleEarly) {
  EXPECT_EQ(tick_lead(1h), 30s);
  EXPECT_EQ(tick_lead(10s), 1s);
  EXPECT_EQ(until_next_tick(0us, 10s), 9s);
  EXPECT_EQ(until_next_tick(8'999'999us, 10s), 1ms) << "rounded up: never shorter than the tick";
  EXPECT_EQ(until_next_tick(9s, 10s), 10s);
  // 03:00:00 and two seconds either side are the same tick of an hour.
  const std::chrono::microseconds three = 1'794'700'800s;
  EXPECT_EQ(until_next_tick(three - 2s, 1h) - 2s, until_next_tick(three, 1h));
  EXPECT_EQ(until_next_tick(three + 2s, 1h) + 2s, until_next_tick(three, 1h));
}

TEST(RunTick, MarkIsInTheLocksSlot) {
  EXPECT_EQ(mark_key("nightly"), "{nightly}:once");
  EXPECT_EQ(mark_key("app:{7}:x"), "app:{7}:x:once");
}

}  // namespace
}  // namespace holdfast::cli
