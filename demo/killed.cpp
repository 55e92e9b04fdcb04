// Scene 2: the holder is killed with SIGKILL. Nobody releases its lock; the lease it left behind ends by itself.
#include "scenes.hpp"

#include <backstage/interrupts.hpp>

namespace demo {

void kill_a_holder(stage& on) {
  constexpr int victim = 3;
  constexpr int first = 5;
  constexpr int second = 6;
  constexpr std::int64_t ttl_ms = 2000;

  on.out.section("A holder is killed (SIGKILL); its lease of 2 s was never released");
  on.out.table_head();

  on.eight.tell(victim, {.what = task::hold, .ttl_ms = ttl_ms});
  on.until(victim, what::got);
  for (const int process : {first, second}) {
    on.eight.tell(process, {.what = task::take_turns, .hold_us = 50'000});
    backstage::pause_for(std::chrono::milliseconds{100});
  }
  backstage::pause_for(std::chrono::milliseconds{300});

  const auto death = now_ns();
  on.book.ended(victim, death);
  on.eight.kill(victim);
  on.out.event(victim, death, "KILLED    while P5 and P6 wait");
  const report next = on.until(first, what::got);
  on.out.remark("P5 had it " + duration_text(next.time - death, false) +
                " after the kill: what was left of the dead one's 2 s, and no more");
  on.until(second, what::got);
  on.out.remark("P6 had kept its place behind P5");
  on.until(second, what::finished);
}

}  // namespace demo
