#include <holdfast/semaphore.hpp>

#include "client/lease_access.hpp"
#include "client/prepare.hpp"
#include "client/share_call.hpp"
#include "client/time_limit.hpp"
#include "client/unexpected.hpp"
#include "lock/shares.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace holdfast {

namespace {

std::uint64_t most_permits(const detail::core& at) {
  return at.where().deployment == deployment::quorum ? lock::most_slots : lock::most_shares;
}

}  // namespace

struct semaphore::state_type {
  state_type(std::shared_ptr<detail::core> connected, std::string_view lock_name, std::string lock_key, options with,
             std::uint64_t permits)
      : core{std::move(connected)}, name{lock_name}, key{std::move(lock_key)}, how{std::move(with)} {
    remember(permits);
  }

  std::shared_ptr<detail::core> core;
  const std::string name;
  const std::string key;
  const options how;

  std::mutex guard;
  std::uint64_t capacity = 0;
  lock::flavour_ptr single;  // one permit, the most frequent wish
  struct hold {
    std::uint64_t permits;
    lease held;
  };
  std::vector<hold> holds;  // of acquire()

  void remember(std::uint64_t permits) {
    const std::lock_guard lock{guard};
    capacity = permits;
    single = lock::permits(1, permits);
  }

  lock::flavour_ptr what(std::uint64_t permits) {
    const std::lock_guard lock{guard};
    return permits == 1 ? single : lock::permits(permits, capacity);
  }

  result<lease> take(std::uint64_t permits, const options& with, std::optional<std::chrono::nanoseconds> limit) {
    if (auto right = lock::check_permits(permits, "the number of permits", most_permits(*core)); !right) {
      return right.failure();
    }
    return detail::acquire_within(core, name, with, limit, what(permits));
  }

  result<void> keep(std::uint64_t permits, std::optional<std::chrono::nanoseconds> limit) {
    auto got = take(permits, how, limit);
    if (!got) return got.failure();
    const std::lock_guard lock{guard};
    holds.push_back({permits, std::move(*got)});
    return {};
  }

  // The oldest hold of so many permits, or so many of one; empty if there is neither.
  std::vector<hold> choose(std::uint64_t permits) {
    const std::lock_guard lock{guard};
    std::vector<hold> chosen;
    const auto whole = std::ranges::find(holds, permits, &hold::permits);
    if (whole != holds.end()) {
      chosen.push_back(std::move(*whole));
      holds.erase(whole);
      return chosen;
    }
    if (static_cast<std::uint64_t>(std::ranges::count(holds, 1U, &hold::permits)) < permits) return chosen;
    for (auto each = holds.begin(); chosen.size() < permits;) {
      if (each->permits != 1) {
        ++each;
        continue;
      }
      chosen.push_back(std::move(*each));
      each = holds.erase(each);
    }
    return chosen;
  }
};

semaphore::semaphore(client& redis, std::string_view name, std::uint64_t permits, options how) {
  const auto& core = detail::lease_access::core_of(redis);
  auto prepared = detail::prepare(*core, name, how, true, detail::unless_quorum(*core, "a semaphore"));
  if (!prepared) throw error{prepared.failure()};
  lock::check_permits(permits, "the number of permits", most_permits(*core)).value();
  if (!how.owner.empty()) throw error{{errc::bad_option, "owner is set, but every hold needs an owner of its own"}};
  state_ = std::make_unique<state_type>(core, name, std::move(prepared.value().key), std::move(how), permits);
}

semaphore::~semaphore() = default;

void semaphore::acquire(std::uint64_t permits) { acquire(std::nothrow, permits).value(); }

result<void> semaphore::acquire(std::nothrow_t, std::uint64_t permits) noexcept try {
  return state_->keep(permits, state_->how.wait);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> semaphore::try_acquire_for(std::nothrow_t, std::chrono::nanoseconds limit, std::uint64_t permits) noexcept
    try {
  return state_->keep(permits, limit);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool semaphore::try_within(std::chrono::nanoseconds limit, std::uint64_t permits) {
  return detail::true_unless_held(state_->keep(permits, limit));
}

void semaphore::release(std::uint64_t permits) { release(std::nothrow, permits).value(); }

result<void> semaphore::release(std::nothrow_t, std::uint64_t permits) noexcept try {
  if (auto right = lock::check_permits(permits, "the number of permits"); !right) return right;
  // Given back as they are destroyed, without the guard: it asks the server.
  if (!state_->choose(permits).empty()) return {};
  return failure{errc::not_owner, "no " + std::to_string(permits) + " permits of " + state_->name +
                                      " were acquired through this object; release as many as were acquired together"};
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

lease semaphore::take(std::uint64_t permits) { return std::move(take(std::nothrow, permits).value()); }

result<lease> semaphore::take(std::nothrow_t, std::uint64_t permits) noexcept {
  return take(std::nothrow, permits, state_->how);
}

result<lease> semaphore::take(std::nothrow_t, std::uint64_t permits, const options& how) noexcept try {
  return state_->take(permits, how, how.wait);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<lease> semaphore::try_take(std::uint64_t permits) noexcept try {
  return state_->take(permits, state_->how, std::chrono::nanoseconds{0});
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

void semaphore::set_capacity(std::uint64_t permits) { set_capacity(std::nothrow, permits).value(); }

result<void> semaphore::set_capacity(std::nothrow_t, std::uint64_t permits) noexcept try {
  const auto& owner = state_->core;
  if (auto right = lock::check_permits(permits, "the capacity", most_permits(*owner)); !right) return right;
  if (owner->is_foreign()) return detail::core::foreign();
  auto guard = owner->lock();
  detail::share_call call{*owner, scripts::share_capacity, state_->key, {std::to_string(permits)}};
  call.start(runtime::boot_clock::now());
  owner->wait(guard, call);
  const auto problem = call.problem();
  owner->settle(guard);
  if (problem) return *problem;
  state_->remember(permits);
  return {};
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

std::uint64_t semaphore::max() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->capacity;
}

std::string_view semaphore::name() const noexcept { return state_->name; }

}  // namespace holdfast
