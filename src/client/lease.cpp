#include <holdfast/lease.hpp>

#include "client/held_lease.hpp"
#include "client/outcomes.hpp"
#include "client/plain_call.hpp"
#include "client/release_call.hpp"
#include "client/unexpected.hpp"
#include "lock/checked_options.hpp"
#include "lock/read_write.hpp"
#include "lock/transaction.hpp"
#include "runtime/clock.hpp"

#include <algorithm>

namespace holdfast {

using runtime::boot_clock;

namespace {

// How long a release that nobody waits for is tried: the key outlives it by its expiry at the most.
constexpr std::chrono::milliseconds detached_limit{10'000};

}  // namespace

lease::lease() noexcept = default;
lease::lease(lease&&) noexcept = default;

lease& lease::operator=(lease&& other) noexcept {
  if (this == &other) return *this;
  lease old{std::move(*this)};
  held_ = std::move(other.held_);
  return *this;
}

lease::~lease() {
  if (!held_) return;
  const auto& owner = held_->owner();
  if (owner->is_foreign()) return;
  if (!held_->detached()) {
    static_cast<void>(release());
    return;
  }
  auto guard = owner->lock();
  if (held_->stopped()) return;
  held_->stop();
  if (!owner->closing())
    detail::release_call::detach(*owner, held_->key(), held_->id(), {}, detached_limit, held_->what());
  owner->settle(guard);
}

lease_state lease::state() const noexcept {
  if (!held_ || held_->owner()->is_foreign()) return lease_state::LOST;
  auto guard = held_->owner()->lock();
  const auto now = boot_clock::now();
  held_->look_at_clock(now);
  return held_->state(now);
}

std::chrono::nanoseconds lease::remaining() const noexcept {
  if (!held_ || held_->owner()->is_foreign()) return {};
  auto guard = held_->owner()->lock();
  const auto now = boot_clock::now();
  held_->look_at_clock(now);
  if (held_->state(now) == lease_state::LOST) return {};
  return std::max(held_->machine().deadline() - now, runtime::duration{0});
}

std::uint64_t lease::fence() const noexcept { return held_ ? held_->fence() : 0; }
std::string_view lease::name() const noexcept { return held_ ? held_->name() : std::string_view{}; }
std::string_view lease::key() const noexcept { return held_ ? std::string_view{held_->key()} : std::string_view{}; }
std::string_view lease::owner() const noexcept { return held_ ? std::string_view{held_->id()} : std::string_view{}; }

std::stop_token lease::lost() const {
  const auto over = [] {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
  };
  if (!held_ || held_->owner()->is_foreign()) return over();
  auto guard = held_->owner()->lock();
  held_->look_at_clock(boot_clock::now());
  // The callback thread may not have come to the shared source yet, but whoever asks now must be told now.
  if (held_->machine().cause()) return over();
  return held_->token();
}

void lease::on_lost(std::function<void(const loss&)> callback) {
  if (!held_ || held_->owner()->is_foreign()) return;
  auto guard = held_->owner()->lock();
  held_->look_at_clock(boot_clock::now());
  if (!held_->machine().cause()) {
    if (!held_->stopped()) held_->add_callback(std::move(callback));
    return;
  }
  const loss what = held_->what_happened();
  guard.unlock();
  callback(what);
}

void lease::extend(std::chrono::milliseconds ttl) { extend(std::nothrow, ttl).value(); }

result<void> lease::extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept try {
  if (!held_) return detail::no_lease();
  if (held_->owner()->is_foreign()) return detail::core::foreign();
  if (auto checked = lock::check_ttl(ttl); !checked) return checked;
  if (auto checked = lock::check_ttl_of(*held_->what(), ttl); !checked) return checked;
  if (auto why = detail::too_long(*held_->owner(), ttl)) return *why;
  const auto owner = held_->owner();
  auto guard = owner->lock();
  held_->look_at_clock(boot_clock::now());
  if (held_->stopped()) return detail::is_lost(*held_);
  const auto asked = held_->extending(ttl, boot_clock::now());
  detail::extend_call call{*owner, held_->key(), held_->id(), asked, detail::noted::no, held_->what()};
  call.start(boot_clock::now());
  owner->wait(guard, call);
  auto done = detail::apply_extend(*held_, call);
  owner->settle(guard);
  return done;
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> lease::leave() noexcept try {
  if (!held_) return detail::no_lease();
  if (held_->owner()->is_foreign()) return detail::core::foreign();
  const auto owner = held_->owner();
  auto guard = owner->lock();
  const auto now = boot_clock::now();
  held_->look_at_clock(now);
  if (held_->stopped()) return detail::is_lost(*held_);
  if (!owner->where().scripts) return lock::needs_scripts("leave");
  if (held_->what() != lock::plain()) return failure{errc::bad_option, "only a plain lock can be left"};
  const auto asked =
      held_->extending(std::chrono::duration_cast<std::chrono::milliseconds>(held_->machine().ttl()), now);
  const auto held_for = std::chrono::duration_cast<std::chrono::microseconds>(now - held_->machine().since());
  detail::extend_call call{*owner, held_->key(), held_->id(), asked, held_->fence(), held_for};
  call.start(now);
  owner->wait(guard, call);
  auto done = detail::apply_extend(*held_, call);
  if (done) held_->stop();
  owner->settle(guard);
  return done;
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

release_outcome lease::release() noexcept try {
  if (!held_ || held_->owner()->is_foreign()) return release_outcome::was_lost;
  const auto owner = held_->owner();
  auto guard = owner->lock();
  held_->look_at_clock(boot_clock::now());
  if (held_->stopped()) {
    // Over by our clock, but the server's may have some time left: do not let the next one wait for that.
    if (held_->machine().cause() == loss_cause::expired && !owner->closing()) {
      detail::release_call::detach(*owner, held_->key(), held_->id(), {}, owner->where().command_timeout,
                                   held_->what());
      owner->settle(guard);
    }
    return release_outcome::was_lost;
  }
  held_->stop();
  detail::release_call call{*owner, held_->key(), held_->id(), {}, false, held_->what()};
  call.start(boot_clock::now(), owner->where().command_timeout);
  owner->wait(guard, call);
  const release_outcome outcome = detail::judge(call);
  if (outcome == release_outcome::unknown && !owner->closing()) {
    detail::release_call::detach(*owner, held_->key(), held_->id(), {}, detached_limit, held_->what());
  }
  owner->settle(guard);
  return outcome;
} catch (const std::exception&) {
  return release_outcome::unknown;
}

}  // namespace holdfast
