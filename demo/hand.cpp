#include "hand.hpp"

#include <holdfast/holdfast.hpp>

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "report.hpp"

namespace demo {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

class hand {
 public:
  hand(int number, const std::string& url, std::string lock, int reports)
      : number_{number}, lock_{std::move(lock)}, reports_{reports}, redis_{where(url)} {}

  void say(report what) const {
    what.process = number_;
    if (what.time == 0) what.time = now_ns();
    if (::write(reports_, &what, sizeof what) != static_cast<ssize_t>(sizeof what)) ::_exit(2);
  }

  // Connects, and loads the scripts and the tables that a first acquire needs: they are not what is shown here.
  void warm_up() {
    holdfast::lease lease = redis_.acquire(lock_ + ":warm-up:" + std::to_string(number_));
    static_cast<void>(lease.release());
  }

  void take_turns(const order& how) {
    for (int turn = 0; turn < how.turns; ++turn) {
      holdfast::lease lease = take(how);
      if (how.hold_us > 0) std::this_thread::sleep_for(microseconds{how.hold_us});
      say({.kind = what::released, .fence = lease.fence()});
      static_cast<void>(lease.release());
    }
    say({.kind = what::finished});
  }

  // Holds on for as long as the lease lives, and looks at it all the time, as work with a lock should.
  void hold(const order& how) {
    const holdfast::lease lease = take(how);
    std::int64_t last_look = now_ns();
    std::int64_t deadline = last_look;
    while (lease.state() != holdfast::lease_state::LOST) {
      last_look = now_ns();
      deadline = last_look + lease.remaining().count();
      std::this_thread::sleep_for(milliseconds{1});
    }
    const auto noticed = now_ns();
    say({.kind = what::lost,
         .time = noticed,
         .fence = lease.fence(),
         .deadline = deadline,
         .silence = noticed - last_look});
  }

 private:
  // Its warnings (this Redis keeps nothing on disk) would only be in the way here.
  static holdfast::settings where(const std::string& url) {
    auto out = holdfast::settings::load(url).value();
    out.on_warning = [](const holdfast::warning&) {};
    return out;
  }

  holdfast::lease take(const order& how) {
    const auto asked = now_ns();
    holdfast::lease lease = redis_.acquire(lock_, {.ttl = milliseconds{how.ttl_ms}, .wait = milliseconds{20'000}});
    const auto got = now_ns();
    say({.kind = what::got, .time = got, .waited = got - asked, .fence = lease.fence()});
    return lease;
  }

  int number_;
  std::string lock_;
  int reports_;
  holdfast::client redis_;
};

}  // namespace

int work(int number, const std::string& url, const std::string& lock, int orders, int reports) try {
  hand me{number, url, lock, reports};
  me.warm_up();
  me.say({.kind = what::ready});
  order next;
  while (::read(orders, &next, sizeof next) == static_cast<ssize_t>(sizeof next)) {
    if (next.what == task::hold) {
      me.hold(next);
    } else {
      me.take_turns(next);
    }
  }
  return 0;
} catch (const std::exception& problem) {
  report sad{.kind = what::failed, .process = number, .time = now_ns()};
  std::strncpy(sad.text, problem.what(), sizeof sad.text - 1);
  return ::write(reports, &sad, sizeof sad) == static_cast<ssize_t>(sizeof sad) ? 1 : 2;
}

}  // namespace demo
