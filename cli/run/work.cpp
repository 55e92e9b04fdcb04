#include "run/work.hpp"

#include "exit_code.hpp"
#include "run/supervisor.hpp"

#include <cerrno>
#include <cstring>

namespace holdfast::cli {
namespace {

std::string_view explained(loss_cause cause) {
  switch (cause) {
    case loss_cause::expired:
      return "its time ran out without a renewal";
    case loss_cause::gone:
      return "the server no longer has it";
    case loss_cause::taken:
      return "another has taken it";
    case loss_cause::broken:
      return "somebody broke it";
    case loss_cause::max_hold:
      return "--max-hold is over";
    case loss_cause::failover:
      return "Redis failed over, and the new primary does not have it";
    default:
      return "the connection was closed";
  }
}

// The loss comes before everything else: whatever the command returned, its work cannot be trusted.
void judge(const child_end& end, const supervisor& watching, const run_terms& terms, bool lost, run_report& report) {
  if (lost) {
    const loss_cause cause = watching.lost().value_or(loss_cause::gone);
    report.cause = to_string(cause);
    const std::string done = terms.policy == loss_policy::ignore ? "; it was let go on"
                             : watching.killed()                 ? "; it was killed"
                             : watching.lost() ? "; it was stopped with " + signal_name(terms.stop_signal)
                                               : "";
    return report.end(exit_lost, "lost",
                      report.name + " was lost while the command ran: " + std::string{explained(cause)} + done);
  }
  const std::string& program = terms.command.front();
  if (end.exec_errno != 0) {
    const bool missing = end.exec_errno == ENOENT;
    return report.end(missing ? exit_not_found : exit_not_executable, missing ? "not_found" : "not_executable",
                      "cannot run " + program + ": " + std::strerror(end.exec_errno));
  }
  if (end.signal != 0) {
    // As shells do: whoever pressed ^C or closed the pipe knows.
    const bool expected = end.signal == SIGINT || end.signal == SIGPIPE;
    return report.end(exit_signal + end.signal, "signal",
                      expected ? "" : program + " was ended by signal " + signal_name(end.signal));
  }
  report.end(end.code, "exited", "");
}

}  // namespace

work_end work_under(lease& held, boot_time acquired, const run_terms& terms, signal_inbox& signals, run_report& report,
                    std::vector<std::pair<std::string, std::string>> variables) {
  pipe_ends lost = make_pipe();
  guard_process guard;
  child_order order{.command = terms.command,
                    .variables = {{"HOLDFAST_NAME", report.name},
                                  {"HOLDFAST_KEY", std::string{held.key()}},
                                  {"HOLDFAST_OWNER", std::string{held.owner()}},
                                  {"HOLDFAST_FENCE", std::to_string(held.fence())},
                                  {"HOLDFAST_TTL_MS", std::to_string(terms.ttl.count())}},
                    .lost_variable = "HOLDFAST_LOST_FD",
                    .lost_pipe = lost.read.get(),
                    .private_pipe = guard.pipe()};
  for (auto& each : variables) order.variables.push_back(std::move(each));
  started_child child{order, signals};
  lost.read.reset();
  supervisor watching{held, loss_plan{terms.policy, terms.grace}, terms.stop_signal, signals, std::move(lost.write)};
  const child_end end = watching.watch(child, guard);
  if (end.exec_errno == 0 && terms.min_hold) watching.keep_until(acquired + *terms.min_hold);
  work_end out{.ran = end.exec_errno == 0, .released = held.release()};
  out.lost = watching.lost() || out.released == release_outcome::was_lost;
  out.over = watching.told_to_end() || (!out.lost && ends_a_wait(end.signal));
  report.held = since(acquired);
  judge(end, watching, terms, out.lost, report);
  return out;
}

}  // namespace holdfast::cli
