#include "run/terms.hpp"

#include "duration.hpp"
#include "exit_code.hpp"
#include "run/tick.hpp"
#include "signals/inbox.hpp"
#include "stop.hpp"

#include <algorithm>

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds shortest_ttl{100};
constexpr milliseconds longest_ttl{std::chrono::hours{24 * 365}};

[[noreturn]] void wrong(const std::string& why) { throw stop{exit_usage, why}; }

// SIGKILL takes effect when the kernel next looks at the process, and a loaded machine looks late.
milliseconds kill_margin(milliseconds ttl) { return std::min(ttl / 10, milliseconds{1000}); }

void check_range(const char* option, std::optional<milliseconds> given, milliseconds least, milliseconds most) {
  if (!given || (*given >= least && *given <= most)) return;
  wrong(std::string{option} + " is " + duration_text(*given) + "; it must be between " + duration_text(least) +
        " and " + std::to_string(most / std::chrono::hours{24}) + " days");
}

std::vector<std::string> what_to_run(const run_request& asked) {
  if (asked.unknown_option) {
    wrong("there is no option '" + *asked.unknown_option + "'; see: holdfast help " + std::string{asked.verb} +
          " (or put -- before the command)");
  }
  if (asked.shell_text) {
    if (!asked.command.empty()) {
      wrong("-c and the command '" + asked.command.front() + "' contradict each other; give one of them");
    }
    return {"/bin/sh", "-c", *asked.shell_text};
  }
  if (asked.command.empty()) {
    wrong("there is no command to run: holdfast " + std::string{asked.verb} + " NAME -- COMMAND, or -c STRING");
  }
  return asked.command;
}

hold_kind read_kind(const run_request& asked) {
  if (asked.shared && asked.exclusive) {
    wrong("-s (with other readers) and -x (alone) contradict each other; give one of them");
  }
  const char* const side = asked.shared ? "-s" : "-x";
  const bool read_write = asked.shared || asked.exclusive;
  if (asked.permits && read_write) {
    wrong("--permits and " + std::string{side} +
          " contradict each other: a semaphore and a read-write lock are two kinds of lock; give one of them");
  }
  if (asked.once_per && (read_write || asked.permits)) {
    const std::string given = read_write ? side : "--permits " + *asked.permits;
    wrong(
        "--once-per and " + given +
        " do not go together: a tick belongs to a job, and this lock to several. Take both: holdfast run --once-per … "
        "JOB -- holdfast run " +
        given + " " + asked.name + " -- COMMAND");
  }
  if (asked.permits) return read_permits(*asked.permits);
  if (!read_write) return {};
  return {.as = asked.shared ? hold_kind::form::reader : hold_kind::form::writer};
}

void read_policy(const run_request& asked, run_terms& out) {
  out.stop_signal = SIGTERM;
  const std::string& text = asked.on_lost;
  if (text == "kill") return;
  if (text == "ignore") {
    if (asked.grace) wrong("--grace and --on-lost=ignore contradict each other: nothing is sent to the command");
    out.policy = loss_policy::ignore;
    return;
  }
  if (text.starts_with("signal:")) {
    const auto number = signal_number(std::string_view{text}.substr(7));
    if (!number) wrong("--on-lost=" + text + ": there is no such signal; write for example signal:HUP");
    out.stop_signal = *number;
    return;
  }
  wrong("--on-lost=" + text + " is not known; write kill, ignore, or signal:NAME such as signal:HUP");
}

void plan_times(const run_request& asked, run_terms& out) {
  check_range("--ttl", asked.ttl, shortest_ttl, longest_ttl);
  check_range("--max-hold", asked.max_hold, shortest_ttl, longest_ttl);
  check_range("--once-per", asked.once_per, shortest_tick, longest_tick);
  out.ttl = asked.ttl.value_or(asked.usual_ttl);
  const milliseconds length = std::min(out.ttl, asked.max_hold.value_or(out.ttl));
  const milliseconds margin = kill_margin(length);
  if (out.policy == loss_policy::stop) {
    out.grace = asked.grace.value_or(std::min(length / 4, milliseconds{5000}));
    out.stop_margin = out.grace + margin;
    if (out.stop_margin * 2 >= length) {
      const bool by_hold = asked.max_hold && *asked.max_hold < out.ttl;
      wrong("--grace " + duration_text(out.grace) + " is too long for " + (by_hold ? "--max-hold " : "--ttl ") +
            duration_text(length) + ": with the " + duration_text(margin) +
            " that SIGKILL is given it must be less than half of it; use a grace below " +
            duration_text(std::max(length / 2 - margin, milliseconds{0})));
    }
  } else {
    out.stop_margin = margin;
  }
  out.min_hold = asked.min_hold;
  if (!asked.min_hold) return;
  std::optional<milliseconds> most = asked.max_hold;
  if (asked.no_renew) most = std::min(out.ttl, most.value_or(out.ttl));
  if (most && *asked.min_hold >= *most - *most / 100 - milliseconds{2} - out.stop_margin) {
    wrong("--min-hold " + duration_text(*asked.min_hold) + " is longer than the lock can be held: " +
          (asked.no_renew ? "--no-renew ends it after " : "--max-hold ends it after ") + duration_text(*most) +
          ", less the " + duration_text(out.stop_margin) + " to stop in");
  }
}

}  // namespace

run_terms check(const run_request& asked) {
  run_terms out;
  out.command = what_to_run(asked);
  out.hold = read_kind(asked);
  if (asked.nonblock && asked.wait) wrong("-n (do not wait) and -w (wait) contradict each other; give one of them");
  out.waits = !asked.nonblock && (!asked.wait || *asked.wait > milliseconds{0});
  if (out.waits) out.wait = asked.wait;
  out.not_acquired_code = asked.conflict_code.value_or(exit_not_acquired);
  out.already_ran_code = asked.conflict_code.value_or(exit_ok);
  read_policy(asked, out);
  plan_times(asked, out);
  return out;
}

}  // namespace holdfast::cli
