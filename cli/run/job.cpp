#include "run/job.hpp"

#include "duration.hpp"
#include "exit_code.hpp"
#include "run/once_mark.hpp"
#include "run/supervisor.hpp"
#include "signals/wait_watch.hpp"
#include "stop.hpp"

#include <cstring>
#include <random>

namespace holdfast::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

milliseconds since(boot_time then) { return duration_cast<milliseconds>(boot_clock::now() - then); }

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
    default:
      return "the connection was closed";
  }
}

options options_of(const run_request& asked, const run_terms& terms) {
  options how;
  how.ttl = terms.ttl;
  how.wait = terms.wait;
  how.renew = !asked.no_renew;
  how.max_hold = asked.max_hold;
  how.stop_margin = terms.stop_margin;
  how.owner = asked.owner;
  return how;
}

}  // namespace

// What happens between the first signal that we take and the last. `end` of the job is told how it went.
class job::session {
 public:
  session(job& whole, const run_terms& terms, settings where)
      : job_{whole},
        terms_{terms},
        redis_{std::move(where)},
        mark_{redis_, redis_.where().prefix + whole.asked_.name} {}

  void run() {
    if (acquire() && run_command()) return;
    mark_.give_back();  // nothing ran: another host may
  }

 private:
  [[nodiscard]] const run_request& asked() const { return job_.asked_; }
  void progress(const std::string& text) const {
    if (asked().verbose) say("holdfast: " + text);
  }

  // False: it was not to be had, and the job knows why.
  bool acquire() {
    wait_watch watch{signals_};
    if (asked().jitter && asked().jitter->count() > 0) {
      std::random_device random;
      watch.sleep(milliseconds{std::uniform_int_distribution<milliseconds::rep>{0, asked().jitter->count()}(random)});
    }
    const boot_time began = boot_clock::now();
    if (asked().once_per && !watch.token().stop_requested()) {
      if (const auto by = mark_.take(*asked().once_per)) {
        job_.end(terms_.already_ran_code, "already_ran",
                 asked().name + " has already run in this tick; its mark is " + *by);
        return false;
      }
    }
    progress("asking for " + asked().name);
    options how = options_of(asked(), terms_);
    how.stop = watch.token();
    auto got = terms_.waits ? redis_.acquire(std::nothrow, asked().name, how) : redis_.try_acquire(asked().name, how);
    job_.report_.waited = since(began);
    if (const auto number = watch.finish()) {
      if (got) static_cast<void>(got->release());
      job_.end(exit_signal + *number, "interrupted",
               "signal " + signal_name(*number) + " ended the wait for " + asked().name);
      return false;
    }
    if (!got) return refuse(got.failure());
    held_ = std::move(*got);
    acquired_ = boot_clock::now();
    job_.report_.fence = held_.fence();
    progress("acquired " + asked().name + " after " + duration_text(job_.report_.waited) + ", fence " +
             std::to_string(held_.fence()));
    return true;
  }

  bool refuse(const failure& why) {
    const bool busy = why.code == errc::held || why.code == errc::timed_out;
    job_.end(busy ? terms_.not_acquired_code : exit_code_of(why.code), std::string{to_string(why.code)},
             asked().name + " was not acquired: " + why.detail);
    return false;
  }

  // False: nothing was run.
  bool run_command() {
    pipe_ends lost = make_pipe();
    guard_process guard;
    started_child child{order(lost.read.get(), guard.pipe()), signals_};
    lost.read.reset();
    supervisor watching{held_, loss_plan{terms_.policy, terms_.grace}, terms_.stop_signal, signals_,
                        std::move(lost.write)};
    const child_end end = watching.watch(child, guard);
    if (end.exec_errno == 0 && asked().min_hold) watching.keep_until(acquired_ + *asked().min_hold);
    const release_outcome outcome = held_.release();
    job_.report_.held = since(acquired_);
    progress("released " + asked().name + ": " + std::string{to_string(outcome)});
    judge(end, watching, outcome);
    return end.exec_errno == 0;
  }

  [[nodiscard]] child_order order(int lost_pipe, int private_pipe) const {
    return {.command = terms_.command,
            .variables = {{"HOLDFAST_NAME", asked().name},
                          {"HOLDFAST_KEY", std::string{held_.key()}},
                          {"HOLDFAST_OWNER", std::string{held_.owner()}},
                          {"HOLDFAST_FENCE", std::to_string(held_.fence())},
                          {"HOLDFAST_TTL_MS", std::to_string(terms_.ttl.count())}},
            .lost_variable = "HOLDFAST_LOST_FD",
            .lost_pipe = lost_pipe,
            .private_pipe = private_pipe};
  }

  // The loss comes before everything else: whatever the command returned, its work cannot be trusted.
  void judge(const child_end& end, const supervisor& watching, release_outcome outcome) {
    if (watching.lost() || outcome == release_outcome::was_lost) {
      const loss_cause cause = watching.lost().value_or(loss_cause::gone);
      job_.report_.cause = to_string(cause);
      const std::string done = terms_.policy == loss_policy::ignore ? "; it was let go on"
                               : watching.killed()                  ? "; it was killed"
                               : watching.lost() ? "; it was stopped with " + signal_name(terms_.stop_signal)
                                                 : "";
      return job_.end(exit_lost, "lost",
                      asked().name + " was lost while the command ran: " + std::string{explained(cause)} + done);
    }
    const std::string& program = terms_.command.front();
    if (end.exec_errno != 0) {
      const bool missing = end.exec_errno == ENOENT;
      return job_.end(missing ? exit_not_found : exit_not_executable, missing ? "not_found" : "not_executable",
                      "cannot run " + program + ": " + std::strerror(end.exec_errno));
    }
    if (end.signal != 0) {
      // As shells do: whoever pressed ^C or closed the pipe knows.
      const bool expected = end.signal == SIGINT || end.signal == SIGPIPE;
      return job_.end(exit_signal + end.signal, "signal",
                      expected ? "" : program + " was ended by signal " + signal_name(end.signal));
    }
    job_.end(end.code, "exited", "");
  }

  job& job_;
  const run_terms& terms_;
  signal_inbox signals_;
  client redis_;
  once_mark mark_;
  lease held_;
  boot_time acquired_{};
};

void job::end(int code, std::string reason, std::string detail) {
  report_.exit_code = code;
  report_.reason = std::move(reason);
  report_.detail = std::move(detail);
}

int job::finish() {
  if (asked_.json) {
    say(to_json(report_));
  } else if (!report_.detail.empty()) {
    say("holdfast: " + report_.detail);
  }
  return report_.exit_code;
}

int job::run() {
  try {
    const run_terms terms = check(asked_);
    // Before the signals are taken: it may start the private server, which must not inherit our mask.
    settings where = where_.where(asked_.verbose);
    session{*this, terms, std::move(where)}.run();
  } catch (const stop& why) {
    end(why.code, "usage", why.what());
  } catch (const error& failed) {
    end(exit_code_of(failed.kind()), std::string{to_string(failed.kind())}, failed.what());
  } catch (const std::exception& failed) {
    end(exit_internal, "internal", std::string{"cannot run the command: "} + failed.what());
  }
  return finish();
}

}  // namespace holdfast::cli
