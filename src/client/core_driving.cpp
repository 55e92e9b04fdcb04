// Who drives the connection, and how (core.hpp tells the roles).
#include "client/core.hpp"

#include <poll.h>

#include <algorithm>
#include <span>

namespace holdfast::detail {

using runtime::boot_clock;
using runtime::time_point;
using std::chrono::milliseconds;

namespace {

// While callers drive the socket themselves the thread stays off it, and looks this often whether they still do. Seldom,
// because each look disturbs whoever is at work; but sooner than a grant has to be claimed, so that scheduling the claim
// does not have to wake the thread.
constexpr milliseconds quiet_after{190};
constexpr milliseconds longest_look{1000};
// What close() gives releases that are on their way.
constexpr milliseconds farewell{300};

// For poll(2): rounded up, -1 for never.
int milliseconds_until(time_point when) {
  if (when == runtime::never) return -1;
  const auto left = std::chrono::ceil<milliseconds>(when - boot_clock::now());
  return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000));
}

}  // namespace

bool core::needs_driver() const noexcept { return nodes_.expects() || stats_.waiting_now > 0; }

// ---- driving: a caller

void core::wait(guard_type& guard, call& what) {
  while (!what.finished) {
    if (driver_ == driver::nobody && nodes_.any_ready()) {
      drive(guard, what);
      continue;
    }
    // Somebody else reads. If it is the thread and it is busy, it flushes before it polls; otherwise we do.
    if (driver_ != driver::thread || thread_polls_) nodes_.flush(guard);
    if (what.finished) break;
    if (driver_ == driver::nobody) nudge();
    what.parked = true;
    settle(guard);
    guard.unlock();
    what.parking.wait();
    guard.lock();
  }
  settle(guard);
}

void core::drive(guard_type& guard, call& what) {
  driver_ = driver::caller;
  driver_thread_ = std::this_thread::get_id();
  ++drives_;
  bool patient = false;  // nothing came for a moment: wait in poll(2), which can be woken
  while (!what.finished && nodes_.any_ready()) {
    nodes_.flush(guard);
    if (what.finished || !nodes_.any_ready()) break;
    if (!patient && !nodes_.is_quorum()) {
      settle(guard);
      driver_polls_ = true;
      patient = !nodes_.service_waiting(guard);
      driver_polls_ = false;
      continue;
    }
    driver_polled_.assign(1, {driver_wake_.fd(), POLLIN, 0});
    nodes_.fill_ready(driver_polled_);
    settle(guard);
    driver_polls_ = true;
    driver_sleeps_until_ = rounds_.next();
    const int patience = milliseconds_until(driver_sleeps_until_);
    guard.unlock();
    poll(driver_polled_.data(), driver_polled_.size(), patience);
    guard.lock();
    driver_polls_ = false;
    if (driver_polled_[0].revents != 0) driver_wake_.lower();
    nodes_.service(guard, std::span{driver_polled_}.subspan(1));
    if (patience >= 0) fire_rounds(boot_clock::now());
  }
  driver_ = driver::nobody;
  if (needs_driver()) nudge();
}

// ---- driving: the thread

void core::fire_timers(time_point now) {
  while (runtime::timer* due = timers_.pop_due(now)) due->fire(now);
}

void core::fire_rounds(time_point now) {
  while (runtime::timer* due = rounds_.pop_due(now)) due->fire(now);
}

// If nobody drives and somebody should.
void core::take_over() noexcept {
  if (driver_ == driver::nobody && (needs_driver() || closing_)) driver_ = driver::thread;
}

void core::run() {
  guard_type guard{mutex_};
  nodes_.open(boot_clock::now());
  std::uint64_t drives_before = 0;
  milliseconds look = quiet_after;
  time_point farewell_ends = runtime::never;
  for (;;) {
    const time_point now = boot_clock::now();
    fire_timers(now);
    if (driver_ != driver::caller) fire_rounds(now);
    if (closing_) {
      if (farewell_ends == runtime::never) farewell_ends = now + farewell;
      if (detached_ <= 0 || now >= farewell_ends || !nodes_.any_ready()) break;
    }
    take_over();
    nodes_.flush(guard);
    run_completions(guard);
    wake_finished(guard);
    if (nodes_.unsent()) nodes_.flush(guard);                   // what the woken ones appended
    if (!finished_.empty() || !completions_.empty()) continue;  // the flush broke the link and ended calls

    // Again, because the guard was let go meanwhile: a caller may have stopped driving with others still waiting. From here
    // to poll(2) it is held.
    take_over();
    // Callers that drive one call after the other are left alone with the socket; when they stop, it is watched again.
    const bool quiet = drives_ == drives_before;
    look = quiet ? std::min(look * 2, longest_look) : quiet_after;
    drives_before = drives_;
    const bool watch = driver_ == driver::thread || (driver_ == driver::nobody && quiet);
    time_point until = timers_.next();
    if (driver_ != driver::caller) until = std::min(until, rounds_.next());
    if (!watch) until = std::min(until, now + look);
    if (closing_) until = std::min(until, farewell_ends);

    thread_polled_.assign({{thread_wake_.fd(), POLLIN, 0}, {alarm_.fd(), POLLIN, 0}});
    nodes_.fill_attempts(thread_polled_);
    if (watch) nodes_.fill_ready(thread_polled_);
    thread_sleeps_until_ = until;
    thread_polls_ = true;
    guard.unlock();
    alarm_.set(until);
    poll(thread_polled_.data(), thread_polled_.size(), -1);
    guard.lock();
    thread_polls_ = false;
    if (thread_polled_[0].revents != 0) thread_wake_.lower();
    nodes_.advance(guard);
    if (driver_ == driver::caller) continue;
    driver_ = driver::thread;
    if (watch) nodes_.service(guard, std::span{thread_polled_}.subspan(2));
    driver_ = driver::nobody;
  }
  nodes_.close({errc::cancelled, "the client was closed"}, boot_clock::now());
  run_completions(guard);
  wake_finished(guard);
}

}  // namespace holdfast::detail
