// One command under one lease: from the fork to the release, and what is to be said of it. The part that `run` and `elect`
// share.
#pragma once

#include "run/boot_clock.hpp"
#include "run/report.hpp"
#include "run/terms.hpp"
#include "signals/inbox.hpp"

#include <holdfast/lease.hpp>

#include <string>
#include <utility>
#include <vector>

namespace holdfast::cli {

struct work_end {
  bool ran = false;   // false: the command could not be started
  bool lost = false;  // the report says 79
  bool over = false;  // whoever sent INT, TERM, QUIT or closed the terminal wants us to end, too
  release_outcome released{};
};

// Guard, child and supervisor, until the command and, after a loss, its whole group have ended. Then gives the lease back. The
// report gets code, reason, sentence and times. `variables` is what the command finds beyond HOLDFAST_NAME and the others.
// Throws std::system_error: no process could be started.
work_end work_under(lease& held, boot_time acquired, const run_terms& terms, signal_inbox& signals, run_report& report,
                    std::vector<std::pair<std::string, std::string>> variables = {});

}  // namespace holdfast::cli
