// The scenes of the demonstration, in the order of the show. Each adds to the ledger what it saw.
#pragma once

#include <cstddef>

#include "crew.hpp"
#include "ledger.hpp"
#include "report.hpp"
#include "screen.hpp"

namespace demo {

struct stage {
  crew& eight;
  ledger& book;
  const screen& out;

  // Takes down and prints what is reported, up to the first of that kind by that process (scenes.cpp).
  report until(int process, what kind);
};

void take_turns(stage& on);  // turns.cpp: printed, then drawn
struct sprint_range {
  std::size_t from, to;
};
sprint_range sprint(stage& on);                            // turns.cpp: many turns, not printed; which holds they are
void kill_a_holder(stage& on);                             // killed.cpp
bool stop_a_holder(stage& on);                             // stopped.cpp; false: its first look was not the loss
bool sum_up(stage& on, sprint_range measured, bool told);  // summary.cpp; false: something was wrong

}  // namespace demo
