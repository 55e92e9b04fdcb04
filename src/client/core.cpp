#include "client/core.hpp"

#include "client/acquire_call.hpp"
#include "client/answers.hpp"
#include "client/deployment_check.hpp"
#include "client/held_lease.hpp"
#include "client/watcher.hpp"
#include "lock/names.hpp"
#include "lock/owner_text.hpp"
#include "runtime/fork_guard.hpp"
#include "runtime/quiet_thread.hpp"
#include "topology/contradictions.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace holdfast::detail {

using runtime::time_point;

namespace {

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
      nodes_{how_,    lock::inbox_channel(inbox_),     std::string{lock::common_channel}, *this, timers_,
             random_, [this] { thread_wake_.raise(); }},
      owner_start_{owner_start() + inbox_} {
  check_ = std::make_unique<deployment_check>(*this);
  answers_ = std::make_unique<answers>(*this);
}

std::shared_ptr<core> core::make(settings how) {
  topology::check_deployment(how).value();
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
  made.reserve(owner_start_.size() + 16);
  made.append(owner_start_);
  random_.append_hex(made);
  if (!how_.scripts) made.append(lock::no_hand_over);
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

void core::on_up(net::connection& which, time_point now) {
  const auto concerns = [&](std::string_view key) { return nodes_.concerns(which, key); };
  for (held_lease* each = leases_; each != nullptr; each = each->next) {
    if (!concerns(each->key())) continue;
    which.moved() ? each->on_moved(now) : each->on_up(now);
  }
  for (acquire_call* each = calls_; each != nullptr;) {
    acquire_call* const following = each->next;
    if (concerns(each->key())) each->on_up(now);
    each = following;
  }
  if (&which != &nodes_.of({})) return;          // it hears no messages, and was looked at with the other
  for (watcher* each : watchers_) each->hint();  // messages may have been missed
  check_->schedule(now);
}

void core::on_moved(const std::function<bool(std::string_view)>& concerned, time_point now) {
  for (held_lease* each = leases_; each != nullptr; each = each->next) {
    if (concerned(each->key())) each->on_moved(now);
  }
  for (acquire_call* each = calls_; each != nullptr;) {
    acquire_call* const following = each->next;
    if (concerned(each->key())) each->on_up(now);
    each = following;
  }
  for (watcher* each : watchers_) {
    if (concerned(each->key)) each->hint();
  }
  nudge();  // renewals may be due at once
}

void core::on_down(net::connection& /*which*/, time_point /*now*/) { ++stats_.reconnects; }

bool core::needs_connection(const net::connection& /*which*/) const {
  return calls_ != nullptr || leases_ != nullptr || detached_ > 0 || !watchers_.empty();
}

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
  if (driver_ != driver::caller) {
    if (rounds_.next() < thread_sleeps_until_) nudge();
  } else if (driver_polls_ && rounds_.next() < driver_sleeps_until_) {
    driver_wake_.raise();
  }
  if (!finished_.empty()) wake_finished(guard);
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
