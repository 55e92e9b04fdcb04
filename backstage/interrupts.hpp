// Ctrl-C as an exception: whatever was started goes with the objects that started it.
//
// Not for threads: the programs that use this have none, so that they may fork.
#pragma once

#include <chrono>
#include <stdexcept>

namespace backstage {

// Ctrl-C, SIGTERM or SIGHUP.
struct interrupted : std::runtime_error {
  interrupted() : runtime_error{"interrupted"} {}
};

// From now on these signals only make the functions below throw `interrupted`; SIGPIPE is ignored.
void catch_interrupts();
// In a forked child: as it was before.
void uncatch_interrupts();

void check_interrupts();
void pause_for(std::chrono::milliseconds length);

}  // namespace backstage
