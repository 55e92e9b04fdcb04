// The wall clock of the only server is stepped while a lock is held: expiry goes by it.
#include <lab/experiment.hpp>
#include <lab/plain_lock.hpp>
#include <lab/stepped_clock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const stepped_clock clock;
  place& redis = t.server("redis", clock.options());
  actor& a = t.client("A");
  actor& b = t.client("B");

  const bool first = t.take(a, redis, set_if_absent(trial::owner(a), "30000"));
  const bool early = t.take(b, redis, set_if_absent(trial::owner(b), "30000"));
  clock.step(t, redis, 60);
  const bool late = t.take(b, redis, set_if_absent(trial::owner(b), "30000"));

  t.expect("A takes the lock for 30 s", true, first);
  t.expect("B gets it before the step", false, early);
  t.expect("B gets it after the clock has stepped by 60 s", true, late);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment clock_step() {
  return {"clock-step", "the clock of the server is stepped by a minute while a lock is held for 30 s",
          "Redis ends keys by its wall clock. Let it be slewed, never stepped (chrony, ntpd -x).", steps};
}

}  // namespace lab
