#include "run/job.hpp"

#include "duration.hpp"
#include "exit_code.hpp"
#include "run/once_mark.hpp"
#include "run/work.hpp"
#include "signals/wait_watch.hpp"

#include <random>

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

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

// What happens between the first signal that we take and the last. The job's report is told how it went.
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
        job_.report_.end(terms_.already_ran_code, "already_ran",
                         asked().name + " has already run in this tick; its mark is " + *by);
        return false;
      }
    }
    progress("asking for " + asked().name + how_text(terms_.hold));
    options how = options_of(asked(), terms_);
    how.stop = watch.token();
    auto got = take(redis_, asked().name, terms_.hold, terms_.waits, how);
    job_.report_.waited = since(began);
    if (const auto number = watch.finish()) {
      if (got) static_cast<void>(got->release());
      job_.report_.end(exit_signal + *number, "interrupted",
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
    job_.report_.end(busy ? terms_.not_acquired_code : exit_code_of(why.code), std::string{to_string(why.code)},
                     not_acquired_text(redis_, asked().name, terms_.hold, why));
    return false;
  }

  // False: nothing was run.
  bool run_command() {
    const work_end end = work_under(held_, acquired_, terms_, signals_, job_.report_);
    progress("released " + asked().name + ": " + std::string{to_string(end.released)});
    return end.ran;
  }

  job& job_;
  const run_terms& terms_;
  signal_inbox signals_;
  client redis_;
  once_mark mark_;
  lease held_;
  boot_time acquired_{};
};

int job::run() {
  return run_and_tell(report_, asked_.json, [this] {
    const run_terms terms = check(asked_);
    // Before the signals are taken: it may start the private server, which must not inherit our mask.
    settings where = where_.where(asked_.verbose);
    session{*this, terms, std::move(where)}.run();
  });
}

}  // namespace holdfast::cli
