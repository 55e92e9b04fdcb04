#include <holdfast/recursive_mutex.hpp>

#include "client/lease_access.hpp"
#include "client/prepare.hpp"
#include "client/recursive_hold.hpp"
#include "client/time_limit.hpp"
#include "client/unexpected.hpp"

#include <algorithm>

namespace holdfast {

struct recursive_mutex::state_type {
  const std::string name;
  const options how;
  const std::shared_ptr<detail::recursive_hold> hold;

  [[nodiscard]] lock::visitor me() const {
    return how.owner.empty() ? detail::this_thread_as_visitor() : lock::visitor{0, how.owner};
  }
  result<void> take(std::optional<std::chrono::nanoseconds> limit) const { return hold->enter(me(), name, how, limit); }
};

recursive_mutex::recursive_mutex(client& redis, std::string_view name, options how) {
  const auto& core = detail::lease_access::core_of(redis);
  const auto prepared =
      detail::prepare(*core, name, how, true, detail::unless_quorum(*core, "a recursive_mutex")).value();
  // The names of the other fields of the hash.
  if (how.owner == "holdfast" || how.owner == "mode") {
    throw error{
        {errc::bad_option, "the owner id of a recursive_mutex must not be \"" + how.owner + "\"; choose another"}};
  }
  if (how.signal_prefix) {
    throw error{{errc::bad_option, "signal_prefix is for plain locks; a recursive_mutex wakes Redisson's waiters"}};
  }
  auto hold = detail::recursive_hold::of(core, prepared.key);
  state_ = std::make_unique<state_type>(state_type{std::string{name}, std::move(how), std::move(hold)});
}

recursive_mutex::~recursive_mutex() = default;

void recursive_mutex::lock() { lock(std::nothrow).value(); }

result<void> recursive_mutex::lock(std::nothrow_t) noexcept try {
  if (state_->how.wait) return state_->take(*state_->how.wait);
  return state_->take({});
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool recursive_mutex::try_lock() { return try_lock_within({}); }

result<void> recursive_mutex::try_lock(std::nothrow_t) noexcept { return try_lock_for(std::nothrow, {}); }

result<void> recursive_mutex::try_lock_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(std::clamp<std::chrono::nanoseconds>(limit, std::chrono::nanoseconds{0}, detail::longest_limit));
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool recursive_mutex::try_lock_within(std::chrono::nanoseconds limit) {
  const auto done = try_lock_for(std::nothrow, limit);
  if (done) return true;
  // False means held by somebody else and nothing else.
  if (done.code() == errc::held || done.code() == errc::timed_out) return false;
  throw error{done.failure()};
}

void recursive_mutex::unlock() noexcept { static_cast<void>(release()); }

release_outcome recursive_mutex::release() noexcept { return state_->hold->leave(state_->me()); }

std::string_view recursive_mutex::name() const noexcept { return state_->name; }
std::uint64_t recursive_mutex::depth() const noexcept { return state_->hold->depth(state_->me()); }
std::uint64_t recursive_mutex::fence() const noexcept { return state_->hold->current()->fence(); }
std::stop_token recursive_mutex::lost() const { return state_->hold->current()->lost(); }
lease_state recursive_mutex::state() const noexcept { return state_->hold->current()->state(); }
std::chrono::nanoseconds recursive_mutex::remaining() const noexcept { return state_->hold->current()->remaining(); }

void recursive_mutex::extend(std::chrono::milliseconds ttl) { extend(std::nothrow, ttl).value(); }

result<void> recursive_mutex::extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept {
  return state_->hold->current()->extend(std::nothrow, ttl);
}

}  // namespace holdfast
