// holdfast::multi_lease: what its members say, taken together.
#include <holdfast/multi_lock.hpp>

#include "client/held_lease.hpp"
#include "client/lease_access.hpp"
#include "client/multi_held.hpp"
#include "client/outcomes.hpp"
#include "client/release_call.hpp"

#include <algorithm>
#include <deque>

namespace holdfast {

using runtime::boot_clock;

namespace detail {

void loss_signal::tell(const loss& what) {
  std::vector<std::function<void(const loss&)>> ready;
  {
    const std::lock_guard lock{mutex_};
    if (first_ || silent_) return;
    first_ = what;
    ready.swap(callbacks_);
  }
  stop_.request_stop();
  for (const auto& each : ready) each(what);
}

void loss_signal::add(std::function<void(const loss&)> callback) {
  std::unique_lock lock{mutex_};
  if (silent_) return;
  if (!first_) {
    callbacks_.push_back(std::move(callback));
    return;
  }
  const loss what = *first_;
  lock.unlock();
  callback(what);
}

void loss_signal::silence() {
  const std::lock_guard lock{mutex_};
  silent_ = true;
}

// As lease::release, for several: their releases leave together.
release_outcome release_all(std::span<lease> members) noexcept try {
  bool lost = false;
  bool unknown = false;
  std::deque<release_call> calls;
  std::shared_ptr<core> owner;
  std::vector<lease*> singly;
  for (lease& each : members) {
    const auto& held = lease_access::held(each);
    if (!held || held->owner()->is_foreign()) return release_outcome::was_lost;
    owner = held->owner();
  }
  if (!owner) return release_outcome::was_lost;
  auto guard = owner->lock();
  const auto now = boot_clock::now();
  for (lease& each : members) {
    const auto& held = lease_access::held(each);
    held->look_at_clock(now);
    if (held->stopped()) {
      lost = true;
      singly.push_back(&each);  // it may have to tell the server that its time was over before the server's
      continue;
    }
    held->stop();
    calls.emplace_back(*owner, held->key(), held->id(), std::string_view{}, false, held->what())
        .start(now, owner->where().command_timeout);
  }
  for (release_call& each : calls) {
    owner->wait(guard, each);
    const release_outcome outcome = judge(each);
    lost = lost || outcome == release_outcome::was_lost;
    unknown = unknown || outcome == release_outcome::unknown;
  }
  calls.clear();
  owner->settle(guard);
  guard.unlock();
  for (lease* each : singly) static_cast<void>(each->release());
  if (lost) return release_outcome::was_lost;
  return unknown ? release_outcome::unknown : release_outcome::released;
} catch (const std::exception&) {
  return release_outcome::unknown;
}

}  // namespace detail

multi_lease::multi_lease() noexcept = default;
multi_lease::multi_lease(std::unique_ptr<detail::multi_held> held) noexcept : held_{std::move(held)} {}
multi_lease::multi_lease(multi_lease&&) noexcept = default;

multi_lease& multi_lease::operator=(multi_lease&& other) noexcept {
  if (this == &other) return *this;
  multi_lease old{std::move(*this)};
  held_ = std::move(other.held_);
  return *this;
}

multi_lease::~multi_lease() { static_cast<void>(release()); }

lease_state multi_lease::state() const noexcept {
  if (!held_ || held_->members.empty()) return lease_state::LOST;
  lease_state worst = lease_state::VALID;
  for (const lease& each : held_->members) worst = std::max(worst, each.state());
  return worst;
}

std::chrono::nanoseconds multi_lease::remaining() const noexcept {
  if (!held_ || held_->members.empty()) return {};
  auto least = std::chrono::nanoseconds::max();
  for (const lease& each : held_->members) least = std::min(least, each.remaining());
  return least;
}

std::size_t multi_lease::size() const noexcept { return held_ ? held_->names.size() : 0; }

const std::vector<std::string>& multi_lease::names() const noexcept {
  static const std::vector<std::string> none;
  return held_ ? held_->names : none;
}

std::uint64_t multi_lease::fence(std::string_view name) const noexcept {
  if (!held_) return 0;
  const auto found = std::lower_bound(held_->names.begin(), held_->names.end(), name);
  if (found == held_->names.end() || *found != name) return 0;
  return held_->members[static_cast<std::size_t>(found - held_->names.begin())].fence();
}

std::stop_token multi_lease::lost() const {
  // The callback thread may not have come to the signal yet, but whoever asks now must be told now.
  if (held_) {
    for (const lease& each : held_->members) {
      if (auto token = each.lost(); token.stop_requested()) return token;
    }
    return held_->signal->token();
  }
  std::stop_source over;
  over.request_stop();
  return over.get_token();
}

void multi_lease::on_lost(std::function<void(const loss&)> callback) {
  if (!held_) return;
  held_->signal->add(std::move(callback));
  static_cast<void>(state());  // looks at the clock
}

void multi_lease::extend(std::chrono::milliseconds ttl) { extend(std::nothrow, ttl).value(); }

result<void> multi_lease::extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept {
  if (!held_) return detail::no_lease();
  for (lease& each : held_->members) {
    if (auto done = each.extend(std::nothrow, ttl); !done) return done;
  }
  return {};
}

release_outcome multi_lease::release() noexcept {
  if (!held_) return release_outcome::was_lost;
  held_->signal->silence();
  return detail::release_all(held_->members);
}

}  // namespace holdfast
