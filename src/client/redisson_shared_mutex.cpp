#include <holdfast/redisson_shared_mutex.hpp>

#include "client/acquire_blocking.hpp"
#include "client/downgrade.hpp"
#include "client/lease_access.hpp"
#include "client/outcomes.hpp"
#include "client/prepare.hpp"
#include "client/thread_holds.hpp"
#include "client/time_limit.hpp"
#include "lock/owner_text.hpp"
#include "lock/read_write.hpp"

#include <unistd.h>

namespace holdfast {

struct redisson_shared_mutex::state_type {
  state_type(std::shared_ptr<detail::core> connected, std::string_view lock_name, options with, std::string_view key)
      : core{std::move(connected)},
        name{lock_name},
        how{std::move(with)},
        reader{lock::redisson_reader(key)},
        writer{lock::redisson_writer(key)} {}

  std::shared_ptr<detail::core> core;
  const std::string name;
  const options how;
  const lock::flavour_ptr reader;
  const lock::flavour_ptr writer;
  detail::thread_holds holds;

  // Another one for each acquisition: what was sent for an earlier one can never touch this.
  std::string make_owner() const {
    std::string digits;
    const auto guard = core->lock();
    core->random().append_hex(digits);
    return lock::redisson_owner(core->inbox(), digits, ::gettid());
  }

  // `limit` none: as long as it takes. Zero: one try.
  result<void> take(bool writes, std::optional<std::chrono::nanoseconds> limit) {
    if (holds.mine() != nullptr) {
      return failure{errc::deadlock, "this thread already has " + name + "; use downgrade(), or unlock first"};
    }
    if (core->is_foreign()) return detail::core::foreign();
    options mine = how;
    mine.owner = make_owner();
    auto got = detail::acquire_within(core, name, mine, limit, writes ? writer : reader);
    if (!got) return got.failure();
    holds.keep(std::move(*got));
    return {};
  }

  // The calling thread's hold, or one that holds nothing.
  template <class Use>
  auto with_mine(Use use) {
    lease nothing;
    lease* const held = holds.mine();
    return use(held != nullptr ? *held : nothing);
  }
};

redisson_shared_mutex::redisson_shared_mutex(client& redis, std::string_view name, options how) {
  const auto& core = detail::lease_access::core_of(redis);
  if (core->where().deployment == deployment::quorum) {
    throw error{{errc::bad_option, "a redisson_shared_mutex does not work on a quorum (" + core->where().display() +
                                       "): it is there to meet Redisson, which has no such quorum; use shared_mutex"}};
  }
  const auto prepared = detail::prepare(*core, name, how, true).value();
  if (!how.owner.empty()) throw error{{errc::bad_option, "owner is set, but every hold needs an owner of its own"}};
  if (how.signal_prefix) {
    throw error{
        {errc::bad_option, "signal_prefix is for plain locks; a redisson_shared_mutex wakes Redisson's waiters"}};
  }
  auto made = std::make_unique<state_type>(core, name, std::move(how), prepared.key);
  lock::check_ttl_of(*made->reader, made->how.ttl).value();
  state_ = std::move(made);
}

redisson_shared_mutex::~redisson_shared_mutex() = default;

void redisson_shared_mutex::lock() { lock(std::nothrow).value(); }

result<void> redisson_shared_mutex::lock(std::nothrow_t) noexcept try {
  return state_->take(true, state_->how.wait);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

void redisson_shared_mutex::lock_shared() { lock_shared(std::nothrow).value(); }

result<void> redisson_shared_mutex::lock_shared(std::nothrow_t) noexcept try {
  return state_->take(false, state_->how.wait);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

result<void> redisson_shared_mutex::try_lock_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(true, limit);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

result<void> redisson_shared_mutex::try_lock_shared_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(false, limit);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

bool redisson_shared_mutex::try_within(bool writes, std::chrono::nanoseconds limit) {
  return detail::true_unless_held(state_->take(writes, limit));
}

release_outcome redisson_shared_mutex::release() noexcept { return state_->holds.release(); }

void redisson_shared_mutex::downgrade() { downgrade(std::nothrow).value(); }

result<void> redisson_shared_mutex::downgrade(std::nothrow_t) noexcept try {
  lease* const mine = state_->holds.mine();
  if (mine == nullptr) return detail::no_lease();
  const std::shared_ptr<detail::held_lease> held = detail::lease_access::held(*mine);
  if (held->owner()->is_foreign()) return detail::core::foreign();
  if (!*mine) return detail::is_lost(*held);
  return detail::downgrade(held, scripts::read_write_downgrade, state_->writer->extra);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

std::string_view redisson_shared_mutex::name() const noexcept { return state_->name; }

std::uint64_t redisson_shared_mutex::fence() const noexcept {
  return state_->with_mine([](const lease& held) { return held.fence(); });
}

std::stop_token redisson_shared_mutex::lost() const {
  return state_->with_mine([](const lease& held) { return held.lost(); });
}

lease_state redisson_shared_mutex::state() const noexcept {
  return state_->with_mine([](const lease& held) { return held.state(); });
}

std::chrono::nanoseconds redisson_shared_mutex::remaining() const noexcept {
  return state_->with_mine([](const lease& held) { return held.remaining(); });
}

void redisson_shared_mutex::extend(std::chrono::milliseconds ttl) { extend(std::nothrow, ttl).value(); }

result<void> redisson_shared_mutex::extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept {
  return state_->with_mine([ttl](lease& held) { return held.extend(std::nothrow, ttl); });
}

}  // namespace holdfast
