// What operators and crashes do to a server while locks are held and waited for: SCRIPT FLUSH, CLIENT KILL, CLIENT PAUSE,
// restarts, FLUSHALL. (What a server refuses is in server_refusals_test.cpp.) Fences increase over all of it.
#include "chaos/event_fixture.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class server_events : public event_fixture {
 protected:
  // Does it again and again, for longer than a lease lasts.
  void repeatedly(const std::function<void()>& event) {
    for (int i = 0; i < 10; ++i) {
      event();
      std::this_thread::sleep_for(ttl / 6);
    }
  }
};

TEST_F(server_events, script_flush_is_not_noticed) {
  start();
  auto held = take();
  auto call = queue_up();
  repeatedly([&] { server_->text({"SCRIPT", "FLUSH"}); });
  EXPECT_EQ(held.state(), lease_state::VALID);
  server_->text({"SCRIPT", "FLUSH"});
  hand_over(held, call);
  expect_recovered();
  EXPECT_EQ(note_.by_callback, 0);
}

struct kill_case {
  const char* type;
  int protocol;
};
void PrintTo(const kill_case& what, std::ostream* out) { *out << what.type << " RESP" << what.protocol; }

class client_kill : public server_events, public testing::WithParamInterface<kill_case> {};

TEST_P(client_kill, costs_neither_the_lock_nor_the_place_in_the_queue) {
  start({}, GetParam().protocol);
  auto held = take();
  auto call = queue_up();
  long long killed = 0;
  repeatedly([&] { killed += server_->number({"CLIENT", "KILL", "TYPE", GetParam().type}); });
  EXPECT_GE(killed, 2);
  EXPECT_NE(held.state(), lease_state::LOST);
  // The queue is asked again after each reconnect; only a waiter that is connected can be handed the lock.
  EXPECT_TRUE(eventually(patient, [&] { return held.state() == lease_state::VALID && waiting() == 1; }));
  hand_over(held, call);
  expect_recovered();
  EXPECT_EQ(note_.by_callback, 0);
}
// With RESP3 a client is one connection, which the server counts as pub/sub.
INSTANTIATE_TEST_SUITE_P(, client_kill,
                         testing::Values(kill_case{"pubsub", 3}, kill_case{"pubsub", 2}, kill_case{"normal", 2}),
                         [](const auto& shown) {
                           return std::string{shown.param.type} + "_resp" + std::to_string(shown.param.protocol);
                         });

class client_pause : public server_events, public testing::WithParamInterface<const char*> {};

TEST_P(client_pause, longer_than_a_lease_is_a_loss_on_time) {
  start();
  auto held = take();
  bystander other{*server_, name};
  server_->text({"CLIENT", "PAUSE", "2000", GetParam()});
  const auto start_of_call = boottime_ns();
  auto late = waiter_->acquire(std::nothrow, name, {.ttl = ttl, .wait = 300ms});
  EXPECT_LE(std::chrono::nanoseconds{boottime_ns() - start_of_call}, 300ms + 200ms);
  EXPECT_FALSE(late);
  expect_loss_on_time(held, other);
  EXPECT_TRUE(other.gets_it_within(patient));
  other.leave();
  expect_recovered();
}

TEST_P(client_pause, shorter_than_a_lease_is_not_a_loss) {
  start();
  auto held = take();
  bystander other{*server_, name};
  server_->text({"CLIENT", "PAUSE", "100", GetParam()});
  std::this_thread::sleep_for(2 * ttl);
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_FALSE(other.got());
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(other.gets_it_within(patient));
  other.leave();
  expect_recovered();
}
INSTANTIATE_TEST_SUITE_P(, client_pause, testing::Values("WRITE", "ALL"),
                         [](const auto& shown) { return std::string{shown.param}; });

TEST_F(server_events, restart_with_data_keeps_lock_and_queue) {
  start({.appendonly = true});
  auto held = holder_->acquire(name, {.ttl = 6s, .on_lost = note_.callback()});
  note_fence(held.fence());
  auto call = queue_up(20s);
  server_->restart();
  EXPECT_TRUE(eventually(patient, [&] { return held.state() == lease_state::VALID && waiting() == 1; }));
  EXPECT_EQ(server_->text({"GET", name}), held.owner());
  const auto renewed = holder_->stats().renewals;
  EXPECT_TRUE(eventually(patient, [&] { return holder_->stats().renewals > renewed; }));
  // The waiter must have said after the restart that it is still there, or the hand-over would pass it by.
  EXPECT_TRUE(eventually(patient, [&] { return server_->command_calls("subscribe") >= 2; }));
  hand_over(held, call);
  expect_recovered();
  EXPECT_EQ(note_.by_callback, 0);
}

TEST_F(server_events, restart_without_data_is_a_loss_that_is_told) {
  start();
  auto held = take();
  server_->restart();
  ASSERT_TRUE(eventually(patient, [&] { return note_.by_callback != 0; }));
  EXPECT_EQ(held.state(), lease_state::LOST);
  // `expired` where the restart took longer than what was left of the lease.
  EXPECT_TRUE(note_.cause == static_cast<int>(loss_cause::gone) || note_.cause == static_cast<int>(loss_cause::expired))
      << note_.cause;
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  expect_recovered();
}

TEST_F(server_events, restart_without_data_lets_the_waiter_in) {
  start();
  auto held = take();
  auto call = queue_up(20s);
  server_->restart();
  auto got = call.get();
  ASSERT_TRUE(got) << got.failure().detail;
  note_fence(got->fence());
  EXPECT_EQ(got->state(), lease_state::VALID);
  ASSERT_TRUE(eventually(patient, [&] { return note_.by_callback != 0; }));
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(got->release(), release_outcome::released);
  expect_recovered();
}

TEST_F(server_events, flushall_is_told_as_gone_and_fences_go_on) {
  start();
  auto held = take();
  const auto flushed = boottime_ns();
  server_->text({"FLUSHALL"});
  ASSERT_TRUE(eventually(patient, [&] { return note_.by_callback != 0; }));
  EXPECT_EQ(note_.cause, static_cast<int>(loss_cause::gone));
  // The next renewal tells: a third of the ttl, and a moment.
  EXPECT_LE(std::chrono::nanoseconds{note_.by_callback - flushed}, ttl / 3 + 200ms);
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  expect_recovered();
}

TEST_F(server_events, flushall_lets_waiters_in_again) {
  start();
  auto held = take();
  auto call = queue_up();
  server_->text({"FLUSHALL"});
  auto got = call.get();
  ASSERT_TRUE(got) << got.failure().detail;
  note_fence(got->fence());
  EXPECT_EQ(got->release(), release_outcome::released);
  expect_recovered();
}

TEST_F(server_events, fences_increase_over_every_kind_of_forgetting) {
  start();
  for (int round = 0; round < 3; ++round) {
    for (const auto& event : std::vector<std::function<void()>>{[&] { server_->text({"FLUSHALL"}); },
                                                                [&] {
                                                                  server_->text({"SCRIPT", "FLUSH"});
                                                                },
                                                                [&] { server_->kill(), server_->restart(); }}) {
      for (int i = 0; i < 20; ++i) {
        auto held = holder_->acquire(name, {.ttl = ttl, .wait = patient});
        note_fence(held.fence());
      }
      event();
    }
  }
  expect_recovered();
}

}  // namespace
}  // namespace holdfast::test
