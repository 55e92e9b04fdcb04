#include "client/core.hpp"

#include "client/acquire_call.hpp"
#include "client/deployment_check.hpp"
#include "client/held_lease.hpp"
#include "lock/names.hpp"
#include "lock/replies.hpp"
#include "runtime/fork_guard.hpp"
#include "runtime/quiet_thread.hpp"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::detail {

using runtime::boot_clock;
using runtime::time_point;
using std::chrono::milliseconds;

namespace {

// While callers drive the socket themselves the thread stays off it, and looks this often whether they still do.
constexpr milliseconds quiet_after{100};
constexpr milliseconds longest_look{1000};
// What close() gives releases that are on their way.
constexpr milliseconds farewell{300};

std::string make_inbox() {
  runtime::random_source random;
  std::string inbox;
  random.append_hex(inbox);
  return inbox;
}

std::string owner_start() {
  std::array<char, 65> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {'h', 'o', 's', 't'};
  return std::string{host.data()} + ":" + std::to_string(getpid()) + ":";
}

template <class T>
void push(T*& head, T& what) noexcept {
  what.next = head;
  what.previous = nullptr;
  if (head != nullptr) head->previous = &what;
  head = &what;
  what.listed = true;
}

template <class T>
void unlink(T*& head, T& what) noexcept {
  if (!what.listed) return;
  (what.previous != nullptr ? what.previous->next : head) = what.next;
  if (what.next != nullptr) what.next->previous = what.previous;
  what.listed = false;
}

}  // namespace

core::core(settings how, std::string inbox)
    : how_{std::move(how)},
      inbox_{std::move(inbox)},
      generation_{runtime::fork_generation()},
      connection_{how_, lock::inbox_channel(inbox_), *this, timers_, random_, [this] { thread_wake_.raise(); }},
      owner_start_{owner_start()} {
  check_ = std::make_unique<deployment_check>(*this);
}

std::shared_ptr<core> core::make(settings how) {
  std::shared_ptr<core> made{new core{std::move(how), make_inbox()}};
  made->thread_ = std::make_unique<std::thread>(runtime::start_quiet_thread([made] { made->run(); }));
  return made;
}

core::~core() = default;

bool core::is_foreign() const noexcept { return generation_ != runtime::fork_generation(); }

failure core::foreign() {
  return {errc::forked, "this client was made before fork() and belongs to the parent process; make one in the child"};
}

std::string core::make_owner() {
  std::string made;
  made.reserve(owner_start_.size() + 32);
  made.append(owner_start_);
  random_.append_hex(made);
  return made;
}

// ---- lists

void core::enlist(acquire_call& what) { push(calls_, what); }
void core::enlist(held_lease& what) {
  push(leases_, what);
  ++stats_.held_now;
}

void core::delist(acquire_call& what) noexcept {
  unlink(calls_, what);
  if (!std::exchange(what.expecting, false)) return;
  queued_.erase(what.number());
  --stats_.waiting_now;
}

void core::delist(held_lease& what) noexcept {
  if (what.listed) --stats_.held_now;
  unlink(leases_, what);
}

void core::expect_grant(acquire_call& what) {
  queued_.emplace(what.number(), &what);
  what.expecting = true;
  ++stats_.waiting_now;
}

// ---- what the connection tells

void core::on_message(std::string_view payload, time_point now) {
  const auto grant = lock::read_grant(payload);
  if (!grant) return;
  const auto whose = queued_.find(grant->waiter);
  if (whose != queued_.end()) whose->second->on_grant(grant->ticket, now);
}

void core::on_up(time_point now) {
  for (held_lease* each = leases_; each != nullptr; each = each->next) each->on_up(now);
  for (acquire_call* each = calls_; each != nullptr;) {
    acquire_call* const following = each->next;
    each->on_up(now);
    each = following;
  }
  check_->schedule(now);
}

void core::on_down(time_point /*now*/) { ++stats_.reconnects; }

bool core::needs_connection() const { return calls_ != nullptr || leases_ != nullptr || detached_ > 0; }

void core::wake_driver() { (driver_ == driver::caller ? driver_wake_ : thread_wake_).raise(); }

// ---- finishing

void core::finish(call& what) {
  what.finished = true;
  if (what.parked) {
    finished_.push_back(&what.parking);
  } else if (driver_polls_ && driver_thread_ != std::this_thread::get_id()) {
    driver_wake_.raise();  // it may be the driver's own
  }
}

// Wakes parked callers without the mutex, into which they would run otherwise.
void core::wake_finished(guard_type& guard) {
  if (finished_.empty()) return;
  std::vector<runtime::parking*> ready;
  ready.swap(finished_);
  guard.unlock();
  for (runtime::parking* each : ready) each->wake();
  // Several at once: let them append their next commands before the coming flush, so that they share one write.
  if (ready.size() > 1) sched_yield();
  guard.lock();
  ready.clear();
  if (finished_.empty()) finished_.swap(ready);  // keep the capacity
}

void core::run_completions(guard_type& guard) {
  while (!completions_.empty()) {
    std::vector<std::shared_ptr<deferred>> ready;
    ready.swap(completions_);
    guard.unlock();
    for (auto& each : ready) each->run();
    ready.clear();
    guard.lock();
  }
}

void core::nudge() {
  // Once is enough: it looks at everything before it polls again.
  if (std::exchange(thread_polls_, false)) thread_wake_.raise();
}

void core::settle(guard_type& guard) {
  if (timers_.next() < thread_sleeps_until_ || !completions_.empty()) nudge();
  if (!finished_.empty()) wake_finished(guard);
}

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
    if (driver_ == driver::nobody && (needs_driver() || closing_)) driver_ = driver::thread;
    connection_.flush(guard);
    run_completions(guard);
    wake_finished(guard);
    if (connection_.unsent()) connection_.flush(guard);         // what the woken ones appended
    if (!finished_.empty() || !completions_.empty()) continue;  // the flush broke the link and ended calls

    // Again, because the guard was let go meanwhile: a caller may have stopped driving with others still waiting. From here
    // to poll(2) it is held.
    if (driver_ == driver::nobody && (needs_driver() || closing_)) driver_ = driver::thread;
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

// ---- the end

void core::close() noexcept {
  if (is_foreign()) {
    // The parent's thread does not exist here and its mutex may be locked for ever: leave all of it as it is.
    static_cast<void>(thread_.release());
    return;
  }
  guard_type guard{mutex_};
  if (closing_) return;
  closing_ = true;
  const failure why{errc::cancelled, "the client was closed"};
  while (leases_ != nullptr) leases_->close();
  while (calls_ != nullptr) calls_->cancel(why);
  thread_wake_.raise();
  driver_wake_.raise();
  wake_finished(guard);
  const auto thread = std::move(thread_);
  guard.unlock();
  if (!thread) return;
  if (thread->get_id() == std::this_thread::get_id()) {
    thread->detach();
  } else {
    thread->join();
  }
}

}  // namespace holdfast::detail
