// Who drives the connection, and how (core.hpp tells the roles).
#include "client/core.hpp"

#include <poll.h>

#include <algorithm>
#include <array>

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

}  // namespace

bool core::needs_driver() const noexcept { return connection_.expects() || stats_.waiting_now > 0; }

// ---- driving: a caller

void core::wait(guard_type& guard, call& what) {
  while (!what.finished) {
    if (driver_ == driver::nobody && connection_.ready()) {
      drive(guard, what);
      continue;
    }
    // Somebody else reads. If it is the thread and it is busy, it flushes before it polls; otherwise we do.
    if (driver_ != driver::thread || thread_polls_) connection_.flush(guard);
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
  while (!what.finished && connection_.ready()) {
    connection_.flush(guard);
    if (what.finished || !connection_.ready()) break;
    if (!patient) {
      settle(guard);
      driver_polls_ = true;
      patient = !connection_.service_waiting(guard);
      driver_polls_ = false;
      continue;
    }
    std::array<pollfd, 3> entries{};
    entries[0] = {driver_wake_.fd(), POLLIN, 0};
    const std::size_t count = connection_.fill(&entries[1]);
    settle(guard);
    driver_polls_ = true;
    guard.unlock();
    poll(entries.data(), count + 1, -1);
    guard.lock();
    driver_polls_ = false;
    if (entries[0].revents != 0) driver_wake_.lower();
    connection_.service(guard, &entries[1], count);
  }
  driver_ = driver::nobody;
  if (needs_driver()) nudge();
}

// ---- driving: the thread

void core::fire_timers(time_point now) {
  while (runtime::timer* due = timers_.pop_due(now)) due->fire(now);
}

// If nobody drives and somebody should.
void core::take_over() noexcept {
  if (driver_ == driver::nobody && (needs_driver() || closing_)) driver_ = driver::thread;
}

void core::run() {
  guard_type guard{mutex_};
  connection_.open(boot_clock::now());
  std::uint64_t drives_before = 0;
  milliseconds look = quiet_after;
  time_point farewell_ends = runtime::never;
  for (;;) {
    const time_point now = boot_clock::now();
    fire_timers(now);
    if (closing_) {
      if (farewell_ends == runtime::never) farewell_ends = now + farewell;
      if (detached_ <= 0 || now >= farewell_ends || !connection_.ready()) break;
    }
    take_over();
    connection_.flush(guard);
    run_completions(guard);
    wake_finished(guard);
    if (connection_.unsent()) connection_.flush(guard);         // what the woken ones appended
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
    if (!watch) until = std::min(until, now + look);
    if (closing_) until = std::min(until, farewell_ends);

    std::array<pollfd, 4> entries{};
    entries[0] = {thread_wake_.fd(), POLLIN, 0};
    entries[1] = {alarm_.fd(), POLLIN, 0};
    const std::size_t count = watch ? connection_.fill(&entries[2]) : 0;
    thread_sleeps_until_ = until;
    thread_polls_ = true;
    guard.unlock();
    alarm_.set(until);
    poll(entries.data(), count + 2, -1);
    guard.lock();
    thread_polls_ = false;
    if (entries[0].revents != 0) thread_wake_.lower();
    if (driver_ == driver::caller) continue;
    driver_ = driver::thread;
    connection_.service(guard, &entries[2], count);
    driver_ = driver::nobody;
  }
  connection_.close({errc::cancelled, "the client was closed"}, boot_clock::now());
  run_completions(guard);
  wake_finished(guard);
}

}  // namespace holdfast::detail
