#include <holdfast/shared_mutex.hpp>

#include "client/acquire_blocking.hpp"
#include "client/lease_access.hpp"
#include "client/prepare.hpp"
#include "client/thread_holds.hpp"
#include "client/time_limit.hpp"
#include "lock/shares.hpp"

namespace holdfast {

struct shared_mutex::state_type {
  state_type(std::shared_ptr<detail::core> connected, std::string_view lock_name, options with)
      : core{std::move(connected)}, name{lock_name}, how{std::move(with)} {}

  std::shared_ptr<detail::core> core;
  const std::string name;
  const options how;
  detail::thread_holds holds;

  lease* mine() { return holds.mine(); }

  // `limit` none: as long as it takes. Zero: one try.
  result<void> take(bool writes, std::optional<std::chrono::nanoseconds> limit) {
    if (mine() != nullptr) {
      return failure{errc::deadlock,
                     "this thread already has " + name + "; use upgrade() or downgrade(), or unlock first"};
    }
    const auto& what = writes ? lock::writer() : lock::reader();
    auto got = detail::acquire_within(core, name, how, limit, what);
    if (!got) return got.failure();
    holds.keep(std::move(*got));
    return {};
  }
};

shared_mutex::shared_mutex(client& redis, std::string_view name, options how) {
  const auto& core = detail::lease_access::core_of(redis);
  static_cast<void>(detail::prepare(*core, name, how, true, detail::unless_quorum(*core, "a shared_mutex")).value());
  if (!how.owner.empty()) throw error{{errc::bad_option, "owner is set, but every hold needs an owner of its own"}};
  state_ = std::make_unique<state_type>(core, name, std::move(how));
}

shared_mutex::~shared_mutex() = default;

void shared_mutex::lock() { lock(std::nothrow).value(); }

result<void> shared_mutex::lock(std::nothrow_t) noexcept try {
  return state_->take(true, state_->how.wait);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

void shared_mutex::lock_shared() { lock_shared(std::nothrow).value(); }

result<void> shared_mutex::lock_shared(std::nothrow_t) noexcept try {
  return state_->take(false, state_->how.wait);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

result<void> shared_mutex::try_lock_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(true, limit);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

result<void> shared_mutex::try_lock_shared_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(false, limit);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

bool shared_mutex::try_within(bool writes, std::chrono::nanoseconds limit) {
  return detail::true_unless_held(state_->take(writes, limit));
}

release_outcome shared_mutex::release() noexcept { return state_->holds.release(); }

void shared_mutex::upgrade() { upgrade(std::nothrow).value(); }

result<void> shared_mutex::upgrade(std::nothrow_t) noexcept {
  lease nothing;
  lease* const held = state_->mine();
  return holdfast::upgrade(held != nullptr ? *held : nothing, state_->how);
}

void shared_mutex::downgrade() { downgrade(std::nothrow).value(); }

result<void> shared_mutex::downgrade(std::nothrow_t) noexcept {
  lease nothing;
  lease* const held = state_->mine();
  return holdfast::downgrade(held != nullptr ? *held : nothing);
}

std::string_view shared_mutex::name() const noexcept { return state_->name; }

std::uint64_t shared_mutex::fence() const noexcept {
  const lease* const held = state_->mine();
  return held != nullptr ? held->fence() : 0;
}

std::stop_token shared_mutex::lost() const {
  const lease* const held = state_->mine();
  return held != nullptr ? held->lost() : lease{}.lost();
}

lease_state shared_mutex::state() const noexcept {
  const lease* const held = state_->mine();
  return held != nullptr ? held->state() : lease_state::LOST;
}

std::chrono::nanoseconds shared_mutex::remaining() const noexcept {
  const lease* const held = state_->mine();
  return held != nullptr ? held->remaining() : std::chrono::nanoseconds{0};
}

void shared_mutex::extend(std::chrono::milliseconds ttl) { extend(std::nothrow, ttl).value(); }

result<void> shared_mutex::extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept {
  lease nothing;
  lease* const held = state_->mine();
  return (held != nullptr ? *held : nothing).extend(std::nothrow, ttl);
}

}  // namespace holdfast
