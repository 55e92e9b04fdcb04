#include <holdfast/detail/read_write_lock.hpp>

#include "client/read_write_state.hpp"
#include "client/unexpected.hpp"

namespace holdfast::detail {

read_write_lock::read_write_lock(std::unique_ptr<read_write_state> made) noexcept : state_{std::move(made)} {}
read_write_lock::~read_write_lock() = default;

void read_write_lock::lock() { lock(std::nothrow).value(); }

result<void> read_write_lock::lock(std::nothrow_t) noexcept try {
  return state_->take(true, state_->how().wait);
} catch (const std::exception& problem) {
  return unexpected(problem);
}

void read_write_lock::lock_shared() { lock_shared(std::nothrow).value(); }

result<void> read_write_lock::lock_shared(std::nothrow_t) noexcept try {
  return state_->take(false, state_->how().wait);
} catch (const std::exception& problem) {
  return unexpected(problem);
}

result<void> read_write_lock::try_lock_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(true, limit);
} catch (const std::exception& problem) {
  return unexpected(problem);
}

result<void> read_write_lock::try_lock_shared_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(false, limit);
} catch (const std::exception& problem) {
  return unexpected(problem);
}

bool read_write_lock::try_within(bool writes, std::chrono::nanoseconds limit) {
  return true_unless_held(state_->take(writes, limit));
}

release_outcome read_write_lock::release() noexcept { return state_->release(); }

void read_write_lock::downgrade() { downgrade(std::nothrow).value(); }

result<void> read_write_lock::downgrade(std::nothrow_t) noexcept try {
  return state_->with_mine([this](lease& held) { return state_->downgrade(held); });
} catch (const std::exception& problem) {
  return unexpected(problem);
}

std::string_view read_write_lock::name() const noexcept { return state_->name(); }

std::uint64_t read_write_lock::fence() const noexcept {
  return state_->with_mine([](const lease& held) { return held.fence(); });
}

std::stop_token read_write_lock::lost() const {
  return state_->with_mine([](const lease& held) { return held.lost(); });
}

lease_state read_write_lock::state() const noexcept {
  return state_->with_mine([](const lease& held) { return held.state(); });
}

std::chrono::nanoseconds read_write_lock::remaining() const noexcept {
  return state_->with_mine([](const lease& held) { return held.remaining(); });
}

void read_write_lock::extend(std::chrono::milliseconds ttl) { extend(std::nothrow, ttl).value(); }

result<void> read_write_lock::extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept {
  return state_->with_mine([ttl](lease& held) { return held.extend(std::nothrow, ttl); });
}

}  // namespace holdfast::detail
