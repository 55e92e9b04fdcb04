#include "elect/candidate.hpp"

#include "duration.hpp"
#include "exit_code.hpp"
#include "run/work.hpp"
#include "signals/wait_watch.hpp"
#include "stop.hpp"

#include <holdfast/elector.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// Between two tries in an outage, and before a command that has ended is run again: one that fails at once must not make
// the fleet spin.
constexpr milliseconds pause{1000};

bool may_pass(errc code) {
  switch (code) {
    case errc::unreachable:
    case errc::server_busy:
    case errc::read_only:
    case errc::out_of_memory:
    case errc::protocol:
    case errc::lost:
      return true;
    default:
      return false;
  }
}

run_terms terms_of(const elect_request& asked) {
  if (asked.again && asked.once) {
    throw stop{exit_usage, "--again and --once contradict each other; give one of them"};
  }
  run_terms out = check(asked.work);
  if (out.policy == loss_policy::ignore) {
    throw stop{exit_usage,
               "--on-lost=ignore is not for elect: two leaders would be at work; write kill, or signal:NAME"};
  }
  return out;
}

}  // namespace

class candidate::session {
 public:
  session(candidate& whole, const run_terms& terms, settings where)
      : whole_{whole},
        terms_{terms},
        redis_{std::move(where)},
        seat_{redis_, name(), {.id = whole.asked_.id, .ttl = terms.ttl, .stop_margin = terms.stop_margin}} {}

  void run() {
    meet();
    while (campaign() && lead()) {
    }
  }

 private:
  [[nodiscard]] const std::string& name() const { return whole_.asked_.work.name; }
  [[nodiscard]] run_report& report() { return whole_.report_; }
  void progress(const std::string& text) const {
    if (whole_.asked_.work.verbose) say("holdfast: " + text);
  }

  // A wrong URL, a wrong password or a key of another kind ends it here and now.
  void meet() {
    const auto now = leader_of(redis_, name()).value();
    progress(now ? name() + " is led by " + (now->id.empty() ? now->owner : now->id) + ", term " +
                       std::to_string(now->term)
                 : name() + " has no leader");
  }

  // False: it is over, and the report says why.
  bool campaign() {
    wait_watch watch{signals_};
    const boot_time began = boot_clock::now();
    progress("campaigning for " + name());
    bool told = false;
    for (;;) {
      std::optional<milliseconds> left = terms_.waits ? terms_.wait : milliseconds{0};
      if (left) left = std::max(*left - since(began), milliseconds{0});
      auto got = seat_.campaign(std::nothrow, watch.token(), left);
      const bool again = !got && may_pass(got.code()) && !(left && left->count() == 0);
      if (again) {
        if (!std::exchange(told, true)) {
          say("holdfast: " + name() + ": " + got.failure().detail + "; the campaign goes on");
        }
        watch.sleep(left ? std::min(pause, *left) : pause);
        if (!watch.token().stop_requested()) continue;
      }
      report().waited = since(began);
      if (const auto number = watch.finish()) {
        if (got) static_cast<void>(got->release());
        report().end(exit_signal + *number, "interrupted",
                     "signal " + signal_name(*number) + " ended the campaign for " + name());
        return false;
      }
      if (!got) return refuse(got.failure());
      held_ = std::move(*got);
      elected_ = boot_clock::now();
      report().fence = held_.fence();
      progress("elected for " + name() + " after " + duration_text(report().waited) + ", term " +
               std::to_string(held_.fence()));
      return true;
    }
  }

  bool refuse(const failure& why) {
    const bool busy = why.code == errc::held || why.code == errc::timed_out;
    report().end(busy ? terms_.not_acquired_code : exit_code_of(why.code), std::string{to_string(why.code)},
                 name() + ": not elected: " + why.detail);
    return false;
  }

  // One term. False: it was the last.
  bool lead() {
    const work_end end =
        work_under(held_, elected_, terms_, signals_, report(), {{"HOLDFAST_TERM", std::to_string(held_.fence())}});
    progress("the term " + std::to_string(held_.fence()) + " is over: " + std::string{to_string(end.released)});
    const bool goes_on = end.lost ? !whole_.asked_.once : whole_.asked_.again;
    if (!end.ran || end.over || !goes_on) return false;
    if (report().detail.empty() && report().exit_code != 0) {
      report().detail = terms_.command.front() + " exited with " + std::to_string(report().exit_code);
    }
    if (!report().detail.empty()) report().detail += "; campaigning again";
    tell(report(), whole_.asked_.work.json);
    whole_.begin_report();
    return end.lost || rest();
  }

  // False: a signal ended it.
  bool rest() {
    wait_watch watch{signals_};
    watch.sleep(pause);
    const auto number = watch.finish();
    if (number) {
      report().end(exit_signal + *number, "interrupted",
                   "signal " + signal_name(*number) + " came before the next campaign for " + name());
    }
    return !number;
  }

  candidate& whole_;
  const run_terms& terms_;
  signal_inbox signals_;
  client redis_;
  elector seat_;
  lease held_;
  boot_time elected_{};
};

int candidate::run() {
  begin_report();
  return run_and_tell(report_, asked_.work.json, [this] {
    const run_terms terms = terms_of(asked_);
    // Before the signals are taken: it may start the private server, which must not inherit our mask.
    settings where = where_.where(asked_.work.verbose);
    session{*this, terms, std::move(where)}.run();
  });
}

}  // namespace holdfast::cli
