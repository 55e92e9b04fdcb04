// Every fault at every point of acquire, wait, renew and release, each combination a test of its own.
//
// A client works through the gate; the fault starts exactly at the request (or push) of the point and stays until the
// call has ended and, for a held lease, until it is lost or has outlived its first ttl. All the time a bystander at the
// server wants the same key. Whatever the fault, each test shows that
//   - no call outlives its own limit by more than 200 ms;
//   - the loss is signalled at the deadline that the lease itself told (and a moment for threads to wake), and the
//     server gave the lock to nobody before the signal or the release;
//   - fences increase; no key is ever without expiry; after healing nothing is left.
#include <algorithm>
#include <ostream>
#include <tuple>

#include "chaos/bystander.hpp"
#include "support/gate.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto short_ttl = 600ms;  // for faults under which the lease is lost
constexpr auto long_ttl = 1500ms;  // for those it must survive: a busy machine has time to renew
constexpr auto margin = 150ms;
constexpr auto wait_limit = 900ms;
constexpr auto overrun = 200ms;    // what a call may take beyond its limit
constexpr auto wake_up = 100ms;    // what a busy machine may take from the deadline to the callback; inside the margin
constexpr auto hold_time = 900ms;  // past the short ttl, and past the first renewal of the long one
constexpr auto claim_window = 3s;
const std::string key = "matrix-lock";
const std::string grant = "holdfast:inbox:";  // in a message to the inbox; the subscription is older than the test

struct named_fault {
  const char* name;
  fault what;
  bool mild;  // the call must succeed in spite of it
};

const named_fault all_faults[] = {
    {"refuse", fault::down(), false},
    {"accept_and_stall", fault::accept_and_stall(), false},
    {"close_after_to_server", fault::close_after(direction::to_server, 10), false},
    {"close_after_to_client", fault::close_after(direction::to_client, 3), false},
    {"drop_reply", fault::drop_reply(), false},
    {"delay", fault::delay(50ms), true},
    {"slice", fault::slice(1), false},
    {"black_hole_to_server", fault::black_hole(direction::to_server), false},
    {"black_hole_to_client", fault::black_hole(direction::to_client), false},
    {"reset", fault::reset(), true},
    {"cut", fault::cut(), true},
};

struct point {
  const char* name;
  moment at;
};
// With `after` the server still executes the request; what is lost or late is the answer.
const point around[] = {{"before", moment::before}, {"after", moment::after}};

// ctest shows the parameter with the name: words, not bytes.
void PrintTo(const named_fault& what, std::ostream* out) { *out << what.name; }
void PrintTo(const point& what, std::ostream* out) { *out << what.name; }

// An answer that breaks off, again and again, is not RESP.
errc cut_short(const std::tuple<named_fault, point>& chosen) {
  const std::string_view name = std::get<0>(chosen).name;
  return name == "close_after_to_client" || name == "slice" ? errc::protocol : errc::unreachable;
}

std::chrono::nanoseconds since(std::int64_t start) { return std::chrono::nanoseconds{boottime_ns() - start}; }

class fault_matrix : public testing::TestWithParam<std::tuple<named_fault, point>> {
 protected:
  fault_matrix() {
    load_scripts(server_);
    // The connection is up before the fault, which is then about the request and not about the greeting.
    EXPECT_TRUE(through_.ping());
    note_fence(direct_.acquire("{matrix-lock}fence", {.ttl = short_ttl}).fence());
  }

  const named_fault& the_fault() { return std::get<0>(GetParam()); }
  moment at() { return std::get<1>(GetParam()).at; }
  void arm(const scripts::script& at_script) { gate_.when(std::string{at_script.sha1}, the_fault().what, at()); }

  std::chrono::milliseconds ttl() { return the_fault().mild ? long_ttl : short_ttl; }
  options with_note() { return {.ttl = ttl(), .wait = wait_limit, .stop_margin = margin, .on_lost = note_.callback()}; }

  void note_fence(std::uint64_t fence) {
    EXPECT_GT(fence, last_fence_);
    last_fence_ = fence;
  }

  // Watches a held lease until it is lost or `hold_time` has passed, then heals the gate and releases.
  void watch(lease& held, bystander& other) {
    note_fence(held.fence());
    std::stop_callback on_stop{held.lost(), [&] { note_.by_token = boottime_ns(); }};
    const auto start = boottime_ns();
    std::int64_t deadline = 0;  // not before the lease's own
    while (since(start) < hold_time) {
      const auto left = held.remaining();
      if (left <= 0ns) break;
      deadline = std::max(deadline, boottime_ns() + left.count());
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(server_.keys_without_expiry(), std::vector<std::string>{});
    if (held.state() == lease_state::LOST) {
      EXPECT_TRUE(held.lost().stop_requested());
      ASSERT_TRUE(eventually(5s, [&] { return note_.by_callback != 0 && note_.by_token != 0; }));
      for (const auto told : {note_.by_callback.load(), note_.by_token.load()}) {
        const auto late = std::chrono::nanoseconds{told - deadline};
        EXPECT_LE(late, wake_up) << late.count() / 1'000'000 << " ms after the deadline";
        EXPECT_GE(other.got().value_or(told), told) << "somebody else had the lock before the signal";
      }
      EXPECT_FALSE(the_fault().mild);
      EXPECT_TRUE(other.gets_it_within(ttl() + 1s));
      gate_.pass();
      EXPECT_EQ(held.release(), release_outcome::was_lost);
      return;
    }
    EXPECT_FALSE(other.got()) << "somebody else has the lock that is held";
    EXPECT_GE(through_.stats().renewals, 1u);
    gate_.pass();
    release(held, other);
  }

  release_outcome release(lease& held, bystander& other) {
    const auto start = boottime_ns();
    const auto outcome = held.release();
    EXPECT_LE(since(start), 200ms + overrun);
    EXPECT_TRUE(other.gets_it_within(ttl() + 1s)) << "the lock is stuck";
    EXPECT_GE(other.got().value_or(start), start) << "somebody else had it before";
    return outcome;
  }

  void finish(bystander& other) {
    gate_.disarm();
    gate_.pass();
    other.leave();
    // Whatever waits for the connection to come back (an undo, a release) may need the longest reconnect pause first.
    expect_nothing_left(server_, claim_window);
    note_fence(direct_.acquire(key, {.ttl = short_ttl, .wait = 5s}).fence());
  }

  redis_server server_;
  gate gate_{server_.port()};
  loss_note note_;
  client through_{quick(gate_.url())};
  client direct_{quick(server_.url())};
  std::uint64_t last_fence_ = 0;
};

class fault_at_acquire : public fault_matrix {};

TEST_P(fault_at_acquire, waiting_call) {
  arm(scripts::acquire);
  const auto start = boottime_ns();
  auto got = through_.acquire(std::nothrow, key, with_note());
  EXPECT_LE(since(start), wait_limit + overrun);
  EXPECT_EQ(gate_.triggered(), 1u);
  EXPECT_EQ(server_.keys_without_expiry(), std::vector<std::string>{});
  bystander other{server_, key};
  if (got) {
    watch(*got, other);
  } else {
    EXPECT_FALSE(the_fault().mild) << got.failure().detail;
    EXPECT_TRUE(got.code() == errc::unreachable || got.code() == cut_short(GetParam()))
        << to_string(got.code()) << ": " << got.failure().detail;
    gate_.pass();
    EXPECT_TRUE(other.gets_it_within(ttl() + 1s)) << "the lock is stuck";
  }
  finish(other);
}

TEST_P(fault_at_acquire, call_that_does_not_wait) {
  arm(scripts::acquire);
  auto how = with_note();
  how.wait.reset();
  const auto start = boottime_ns();
  auto got = through_.try_acquire(key, how);
  EXPECT_LE(since(start), 200ms + overrun);
  EXPECT_EQ(gate_.triggered(), 1u);
  bystander other{server_, key};
  if (got) {
    watch(*got, other);
  } else {
    EXPECT_TRUE(got.code() == errc::unreachable || got.code() == cut_short(GetParam()))
        << to_string(got.code()) << ": " << got.failure().detail;
    gate_.pass();
    EXPECT_TRUE(other.gets_it_within(ttl() + 1s)) << "the lock is stuck";
  }
  finish(other);
}

class fault_at_renew : public fault_matrix {};

TEST_P(fault_at_renew, held_lease) {
  auto held = through_.acquire(key, with_note());
  bystander other{server_, key};
  arm(scripts::renew);
  watch(held, other);
  EXPECT_EQ(gate_.triggered(), 1u);
  finish(other);
}

class fault_at_release : public fault_matrix {};

TEST_P(fault_at_release, held_lease) {
  auto held = through_.acquire(key, with_note());
  note_fence(held.fence());
  bystander other{server_, key};
  arm(scripts::release);
  const auto outcome = release(held, other);
  EXPECT_EQ(gate_.triggered(), 1u);
  EXPECT_NE(outcome, release_outcome::was_lost) << "it was ours until we gave it back";
  if (the_fault().mild && at() == moment::before) {
    EXPECT_EQ(outcome, release_outcome::released);
  }
  EXPECT_EQ(note_.by_callback, 0) << "a release is not a loss";
  finish(other);
}

// The points of waiting: while queued and with nothing on the way, and at the very message that brings the grant.
class fault_at_wait : public fault_matrix {
 protected:
  void wait_through(const std::function<void()>& once_queued) {
    auto first = direct_.acquire(key, {.ttl = 10s});
    note_fence(first.fence());
    const auto start = boottime_ns();
    std::optional<result<lease>> got;
    std::int64_t ended = 0;
    std::jthread waiter{[&] {
      got.emplace(through_.acquire(std::nothrow, key, with_note()));
      ended = boottime_ns();
    }};
    EXPECT_TRUE(eventually(5s, [&] { return server_.number({"ZCARD", "{" + key + "}:waiters"}) == 1; }));
    once_queued();
    const auto released = boottime_ns();
    EXPECT_EQ(first.release(), release_outcome::released);
    bystander other{server_, key};
    waiter.join();
    EXPECT_LE(std::chrono::nanoseconds{ended - start}, wait_limit + overrun);
    EXPECT_EQ(server_.keys_without_expiry(), std::vector<std::string>{});
    if (*got) {
      watch(**got, other);
    } else {
      const auto code = got->code();
      EXPECT_TRUE(code == errc::unreachable || code == errc::timed_out || code == cut_short(GetParam()))
          << got->failure().detail;
      gate_.pass();
      EXPECT_TRUE(other.gets_it_within(claim_window)) << "the lock is stuck";
      EXPECT_GE(other.got().value_or(0), released);
    }
    finish(other);
  }
};

TEST_P(fault_at_wait, while_queued) {
  wait_through([&] { gate_.set(the_fault().what); });
}

TEST_P(fault_at_wait, grant_under_fault) {
  wait_through([&] { gate_.when_reply(grant, the_fault().what); });
  EXPECT_EQ(gate_.triggered(), 1u);
}

std::string name_of(const testing::TestParamInfo<std::tuple<named_fault, point>>& info) {
  return std::string{std::get<0>(info.param).name} + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(, fault_at_acquire, testing::Combine(testing::ValuesIn(all_faults), testing::ValuesIn(around)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(, fault_at_renew, testing::Combine(testing::ValuesIn(all_faults), testing::ValuesIn(around)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(, fault_at_release, testing::Combine(testing::ValuesIn(all_faults), testing::ValuesIn(around)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(, fault_at_wait,
                         testing::Combine(testing::ValuesIn(all_faults),
                                          testing::Values(point{"waiting", moment::before})),
                         name_of);

// Only the message is lost and the connection stays: the waiter's own timer finds the grant.
class lost_grant : public fault_matrix {};
TEST_P(lost_grant, is_found_by_the_timer) {
  auto first = direct_.acquire(key, {.ttl = 10s});
  std::optional<result<lease>> got;
  std::jthread waiter{[&] { got.emplace(through_.acquire(std::nothrow, key, with_note())); }};
  ASSERT_TRUE(eventually(5s, [&] { return server_.number({"ZCARD", "{" + key + "}:waiters"}) == 1; }));
  gate_.when_reply(grant, the_fault().what);
  EXPECT_EQ(first.release(), release_outcome::released);
  waiter.join();
  EXPECT_EQ(gate_.triggered(), 1u);
  ASSERT_TRUE(*got) << got->failure().detail;
  EXPECT_GE(through_.stats().woken_by_timer, 1u);
  bystander other{server_, key};
  watch(**got, other);
  finish(other);
}
INSTANTIATE_TEST_SUITE_P(, lost_grant,
                         testing::Values(std::tuple{named_fault{"one_push", fault::drop_reply(1), true}, around[0]}),
                         name_of);

}  // namespace
}  // namespace holdfast::test
