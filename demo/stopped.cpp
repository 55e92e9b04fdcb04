// Scene 3: the holder is stopped (SIGSTOP: a debugger, a frozen container, a long pause) past its lease, then continued.
// It cannot notice anything while it stands; what counts is what it can see first when it runs again.
#include "scenes.hpp"

#include <backstage/interrupts.hpp>

namespace demo {

bool stop_a_holder(stage& on) {
  constexpr int sleeper = 4;
  constexpr int next = 7;
  constexpr std::int64_t ttl_ms = 1000;

  on.out.section("A holder is stopped (SIGSTOP) for longer than its lease of 1 s, then continued");
  on.out.table_head();

  on.eight.tell(sleeper, {.what = task::hold, .ttl_ms = ttl_ms});
  const report held = on.until(sleeper, what::got);
  on.eight.tell(next, {.what = task::take_turns, .hold_us = 600'000});
  backstage::pause_for(std::chrono::milliseconds{200});

  on.eight.stop(sleeper);
  const auto stopped = now_ns();  // it stands by now: every look it had lies before
  on.out.event(sleeper, stopped, "STOPPED   it still believes that it holds the lock");
  const report taken = on.until(next, what::got);
  on.out.remark("P7 had it " + duration_text(taken.time - stopped, false) + " later, with a larger fence");
  backstage::pause_for(std::chrono::milliseconds{300});

  const auto continued = now_ns();
  on.out.event(sleeper, continued, "CONTINUED while P7 holds the lock");
  on.eight.resume(sleeper);
  const report lost = on.until(sleeper, what::lost);
  // Its one look since the pause began already told the loss: the look before lies on the far side of the pause.
  const bool at_once = lost.silence >= continued - stopped;
  on.out.remark("its first look at the lease, " + duration_text(lost.time - continued, false) +
                " after it ran again, " +
                (at_once ? "told it: LOST" : "was not the first: a look in between said VALID"));
  const auto margin = taken.time - lost.deadline;
  on.out.remark("its own deadline had passed " + duration_text(margin, false) + " before P7 had the lock");
  on.out.remark("a late write of it would be refused: fence " + std::to_string(held.fence) + " < " +
                std::to_string(taken.fence));
  on.until(next, what::finished);
  return at_once;
}

}  // namespace demo
