// Both machines under random sequences of events: what must hold whatever happens and in whatever order.
//
// Every failure prints its seed; a sequence is repeated with HOLDFAST_TEST_SEED=<seed>. Time only moves forward, and
// events come only where the glue can deliver them (an answer needs a question), everything else is arbitrary.
#include "lock/acquire_machine.hpp"
#include "lock/lease_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace holdfast::lock {
namespace {

using runtime::duration;
using runtime::never;
using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds patience{1000};
constexpr unsigned sequences = 20'000;

unsigned first_seed() {
  const char* given = std::getenv("HOLDFAST_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
}
unsigned sequence_count() { return std::getenv("HOLDFAST_TEST_SEED") != nullptr ? 1 : sequences; }

struct dice {
  std::mt19937 engine;
  explicit dice(unsigned seed) : engine{seed} {}
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
  bool coin() { return below(2) == 0; }
  milliseconds upto(int ms) { return milliseconds{below(ms + 1)}; }
};

terms random_terms(dice& roll) {
  terms how;
  how.ttl = milliseconds{100} + roll.upto(roll.coin() ? 500 : 60'000);
  how.stop_margin = duration{how.ttl} * roll.below(45) / 100;
  how.waits = roll.below(5) != 0;
  how.forever = roll.coin();
  how.wait = milliseconds{1} + roll.upto(20'000);
  how.queue = roll.below(3) != 0;
  how.renew = roll.below(4) != 0;
  if (roll.below(4) == 0) how.max_hold = milliseconds{100} + roll.upto(60'000);
  return how;
}

acquire_reply random_reply(dice& roll, const terms& how) {
  acquire_reply reply;
  reply.fence = 1 + static_cast<std::uint64_t>(roll.below(1000));
  if (roll.below(4) == 0) {
    reply.what = acquire_reply::kind::granted;
    return reply;
  }
  reply.what = how.waits && how.queue && roll.below(10) != 0 ? acquire_reply::kind::queued : acquire_reply::kind::held;
  reply.ticket = 1 + static_cast<std::uint64_t>(roll.below(3));
  reply.rank = roll.below(3);
  reply.holds = roll.below(5) == 0 ? milliseconds{-1} : roll.upto(30'000);
  reply.holder = roll.coin() ? "foreign" : "host:1:0123456789abcdef0123456789abcdef";
  return reply;
}

// One life of an acquire_machine, with a model beside it of what the server may know.
void acquire_sequence(unsigned seed) {
  SCOPED_TRACE("HOLDFAST_TEST_SEED=" + std::to_string(seed));
  dice roll{seed};
  runtime::random_source random;
  const terms how = random_terms(roll);
  acquire_machine machine{how, patience, random};
  time_point now{seconds{1000}};
  const time_point limit = how.waits ? (how.forever ? never : now + how.wait) : now + patience;
  time_point sent = now;
  bool in_queue = false;  // the server may have us in the queue
  bool may_own = false;   // … or as the owner
  bool finished = false;
  acquire_step step = machine.start(now);
  ASSERT_EQ(step, acquire_step::ask);
  for (int event = 0; event < 60 && !finished; ++event) {
    if (step == acquire_step::ask) sent = now;
    ASSERT_TRUE(step != acquire_step::ask || machine.asking());
    // Nothing due means: the answer is awaited, and there is no limit to the wait for it.
    if (machine.wake_at() == never) {
      ASSERT_TRUE(machine.asking() && limit == never);
    } else {
      ASSERT_LE(machine.wake_at(), limit);
    }
    now += roll.coin() ? roll.upto(50) : roll.upto(5000);
    bool unanswered_now = false;
    switch (roll.below(7)) {
      case 0:
      case 1: {
        if (!machine.asking()) continue;
        const auto reply = random_reply(roll, how);
        in_queue = in_queue || reply.what == acquire_reply::kind::queued;
        step = machine.answered(now, sent, reply);
        break;
      }
      case 2: {
        if (!machine.asking()) continue;
        const auto told = roll.coin() ? delivery::unanswered : delivery::not_sent;
        may_own = may_own || told == delivery::unanswered;
        step = machine.interrupted(now, told);
        break;
      }
      case 3: {
        if (!machine.asking() || roll.coin()) continue;
        const errc codes[] = {errc::server_busy, errc::server_busy, errc::protocol, errc::out_of_memory};
        const failure why{codes[roll.below(4)], "x", roll.coin() ? delivery::unanswered : delivery::not_sent};
        may_own = may_own || why.sent == delivery::unanswered;
        step = machine.refused(now, why);
        break;
      }
      case 4:
        step = machine.pushed(now, 1 + static_cast<std::uint64_t>(roll.below(3)));
        break;
      case 5:
        step = roll.below(3) == 0 ? machine.reconnected(now) : machine.timer(now);
        break;
      default:
        if (roll.below(6) != 0) {
          now = std::max(now, std::min(machine.wake_at(), now + seconds{60}));
          step = machine.timer(now);
        } else {
          unanswered_now = machine.asking();
          step = machine.cancel({errc::cancelled, "stop"});
        }
    }
    finished = step == acquire_step::done;
    may_own = may_own || (unanswered_now && finished);
    if (finished && machine.won()) {
      const auto& held = machine.won()->held;
      ASSERT_LE(held.length, how.ttl);
      ASSERT_LE(held.sent, sent) << "no lease may count from later than the last request";
      const auto deadline = lease_machine{how, *machine.won(), now}.deadline();
      ASSERT_LE(deadline, sent + held.length - held.length / 100 - milliseconds{2} - how.stop_margin);
    } else if (finished) {
      ASSERT_NE(machine.lost().code, errc{});
      ASSERT_TRUE(machine.leave() || !(in_queue || may_own)) << "the server may know us, and nobody will tell it";
    }
  }
  if (!finished) {
    ASSERT_EQ(machine.cancel({errc::cancelled, "stop"}), acquire_step::done);
    ASSERT_TRUE(machine.leave() || !(in_queue || may_own));
  }
  // Done once is done: nothing that can still come in finishes it again or asks.
  ASSERT_EQ(machine.wake_at(), never);
  ASSERT_EQ(machine.timer(now + seconds{100}), acquire_step::wait);
  ASSERT_EQ(machine.pushed(now, 1), acquire_step::wait);
  ASSERT_EQ(machine.reconnected(now), acquire_step::wait);
  ASSERT_EQ(machine.interrupted(now, delivery::unanswered), acquire_step::wait);
  ASSERT_EQ(machine.cancel({errc::cancelled, "stop"}), acquire_step::wait);
}

void lease_sequence(unsigned seed) {
  SCOPED_TRACE("HOLDFAST_TEST_SEED=" + std::to_string(seed));
  dice roll{seed};
  const terms how = random_terms(roll);
  time_point now{seconds{1000}};
  const time_point start = now;
  const duration first = roll.coin() ? how.ttl : acquire_machine::claim(how.ttl);
  lease_machine machine{how, {.fence = 1, .held = {now, first}}, now};
  time_point renewal_sent = now;
  duration renewal_length{};
  bool renewing = false;
  bool lost = false;
  time_point server_end = now + first;  // when the server lets go, at the earliest
  for (int event = 0; event < 80; ++event) {
    const lease_state before = machine.state(now);
    if (lost) {
      ASSERT_EQ(machine.wake_at(), never);
      ASSERT_EQ(before, lease_state::LOST);
    } else {
      ASSERT_NE(machine.wake_at(), never) << "a lease always has an end to wake for";
      ASSERT_LE(machine.wake_at(), machine.deadline());
      ASSERT_LT(machine.deadline(), server_end);
      if (how.max_hold > duration{0}) {
        ASSERT_LE(machine.deadline(), start + how.max_hold);
      }
    }
    now += roll.coin() ? roll.upto(20) : roll.upto(static_cast<int>(how.ttl / milliseconds{2}));
    if (roll.below(3) == 0 && !lost) now = std::max(now, machine.wake_at());
    const bool over = now >= machine.deadline() || lost;
    ASSERT_EQ(machine.state(now) == lease_state::LOST, over);
    lease_step step = lease_step::wait;
    switch (roll.below(6)) {
      case 0:
      case 1:
        step = machine.timer(now);
        break;
      case 2:
        if (!renewing) continue;
        renewing = false;
        if (renewal_sent + renewal_length <= now) continue;  // it had expired: the server would not say "kept"
        if (!over) server_end = renewal_sent + renewal_length;
        step = machine.renewed(now, {renewal_sent, renewal_length});
        break;
      case 3:
        if (!renewing) continue;
        renewing = false;
        machine.renewal_failed(now);
        break;
      case 4:
        machine.verify_soon(now);
        break;
      default:
        if (roll.below(8) == 0) step = machine.disproved(roll.coin() ? loss_cause::gone : loss_cause::closed);
    }
    if (step == lease_step::renew) {
      ASSERT_FALSE(renewing) << "one renewal at a time";
      ASSERT_FALSE(over);
      renewing = true;
      renewal_sent = now;
      renewal_length = machine.renewal_length(now);
      ASSERT_GT(renewal_length, duration{0});
    }
    if (step == lease_step::lost) {
      ASSERT_FALSE(lost) << "told twice";
      lost = true;
    }
    ASSERT_EQ(machine.cause().has_value(), lost);
    if (over) {
      ASSERT_EQ(machine.state(now), lease_state::LOST) << "LOST is final";
    }
  }
}

TEST(MachineSequences, AcquireKeepsItsInvariantsUnderAnyOrderOfEvents) {
  const unsigned seed = first_seed();
  RecordProperty("seed", std::to_string(seed));
  for (unsigned i = 0; i < sequence_count() && !HasFatalFailure(); ++i) acquire_sequence(seed + i);
}

TEST(MachineSequences, LeaseKeepsItsInvariantsUnderAnyOrderOfEvents) {
  const unsigned seed = first_seed();
  RecordProperty("seed", std::to_string(seed));
  for (unsigned i = 0; i < sequence_count() && !HasFatalFailure(); ++i) lease_sequence(seed + i);
}

}  // namespace
}  // namespace holdfast::lock
