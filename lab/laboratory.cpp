#include "laboratory.hpp"

#include <stdexcept>

#include "experiment.hpp"

namespace lab {

// Each is defined in the file of its name.
experiment no_expiry();
experiment no_owner();
experiment check_then_delete();
experiment compare_and_delete();
experiment polling_or_handoff();
experiment paused_unfenced();
experiment paused_fenced();
experiment failover_unguarded();
experiment failover_wait();
experiment failover_fenced();
experiment restart_forgets();
experiment restart_remembers();
experiment clock_step();
experiment clock_step_redlock();
experiment redlock_one_lost();
experiment redlock_two_lost();
experiment redlock_three_lost();
experiment redlock_unguarded();
std::vector<experiment> eviction();  // one per policy

namespace {

const std::vector<experiment>& all() {
  static const std::vector<experiment> known = [] {
    std::vector<experiment> made{
        no_expiry(),        no_owner(),           check_then_delete(),  compare_and_delete(), polling_or_handoff(),
        paused_unfenced(),  paused_fenced(),      failover_unguarded(), failover_wait(),      failover_fenced(),
        restart_forgets(),  restart_remembers(),  clock_step(),         clock_step_redlock(), redlock_one_lost(),
        redlock_two_lost(), redlock_three_lost(), redlock_unguarded(),
    };
    for (experiment& each : eviction()) made.push_back(std::move(each));
    return made;
  }();
  return known;
}

}  // namespace

std::vector<entry> catalogue() {
  std::vector<entry> out;
  for (const experiment& each : all()) out.push_back({each.name, each.title});
  return out;
}

record run(std::string_view name) {
  for (const experiment& each : all()) {
    if (each.name != name) continue;
    record notes{.name = each.name, .title = each.title, .lesson = each.lesson, .skipped = {}};
    try {
      trial on{notes};
      each.steps(on);
      on.finish();
    } catch (const skipped& why) {
      notes.skipped = why.what();
    }
    return notes;
  }
  throw std::invalid_argument{"there is no experiment '" + std::string{name} + "'"};
}

}  // namespace lab
