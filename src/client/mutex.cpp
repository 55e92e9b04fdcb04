#include <holdfast/mutex.hpp>

#include "client/core.hpp"
#include "client/prepare.hpp"
#include "client/time_limit.hpp"
#include "client/unexpected.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace holdfast {

// The gate admits one thread of this process at a time, before the server is asked: threads that share the object do not
// queue against one another on the server, and a thread whose lease was lost still keeps the others out until it unlocks.
struct mutex::state_type {
  state_type(client& client_to_use, std::string_view lock_name, options with)
      : redis{client_to_use}, name{lock_name}, how{std::move(with)} {}

  client& redis;
  const std::string name;
  const options how;

  std::mutex guard;
  std::condition_variable_any opened;
  bool inside = false;
  lease current;

  using clock = std::chrono::steady_clock;

  // False: the limit passed, or how.stop was requested. `limit` none: as long as it takes.
  bool enter(std::optional<std::chrono::nanoseconds> limit) {
    std::unique_lock lock{guard};
    const auto is_open = [this] { return !inside; };
    if (!limit) {
      if (!opened.wait(lock, how.stop, is_open)) return false;
    } else if (!opened.wait_for(lock, how.stop, *limit, is_open)) {
      return false;
    }
    inside = true;
    return true;
  }

  void leave() noexcept {
    {
      const std::lock_guard lock{guard};
      inside = false;
    }
    opened.notify_one();
  }

  result<void> admit(result<lease> got) {
    if (!got) {
      leave();
      return got.failure();
    }
    const std::lock_guard lock{guard};
    current = std::move(*got);
    return {};
  }

  failure busy_here() const {
    return {errc::held, name + " is held through this very object, by another thread of this process"};
  }

  // Zero limit: one try.
  result<void> take(std::optional<std::chrono::nanoseconds> limit) {
    const auto start = clock::now();
    if (!enter(limit)) {
      if (how.stop.stop_requested()) return failure{errc::cancelled, "the stop_token ended the wait for " + name};
      if (*limit <= std::chrono::nanoseconds{0}) return busy_here();
      return failure{errc::timed_out, "the wait limit passed; " + busy_here().detail};
    }
    options now = how;
    now.wait.reset();
    if (limit) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limit - (clock::now() - start));
      if (left <= std::chrono::milliseconds{0}) return admit(redis.try_acquire(name, now));
      now.wait = std::min<std::chrono::milliseconds>(left, std::chrono::hours{24 * 3650});
    }
    return admit(redis.acquire(std::nothrow, name, now));
  }
};

mutex::mutex(client& redis, std::string_view name, options how) {
  static_cast<void>(detail::prepare(*redis.core_, name, how, true).value());
  state_ = std::make_unique<state_type>(redis, name, std::move(how));
}

mutex::~mutex() = default;

void mutex::lock() { lock(std::nothrow).value(); }

result<void> mutex::lock(std::nothrow_t) noexcept try {
  if (state_->how.wait) return state_->take(*state_->how.wait);
  return state_->take({});
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool mutex::try_lock() { return try_lock_within({}); }

result<void> mutex::try_lock(std::nothrow_t) noexcept { return try_lock_for(std::nothrow, {}); }

result<void> mutex::try_lock_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept try {
  return state_->take(std::clamp<std::chrono::nanoseconds>(limit, std::chrono::nanoseconds{0}, detail::longest_limit));
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool mutex::try_lock_within(std::chrono::nanoseconds limit) {
  const auto done = try_lock_for(std::nothrow, limit);
  if (done) return true;
  // False means held by somebody else and nothing else.
  if (done.code() == errc::held || done.code() == errc::timed_out) return false;
  throw error{done.failure()};
}

void mutex::unlock() noexcept { static_cast<void>(release()); }

release_outcome mutex::release() noexcept {
  const release_outcome outcome = state_->current.release();
  state_->leave();
  return outcome;
}

std::string_view mutex::name() const noexcept { return state_->name; }

std::uint64_t mutex::fence() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->current.fence();
}

std::stop_token mutex::lost() const {
  const std::lock_guard lock{state_->guard};
  return state_->current.lost();
}

lease_state mutex::state() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->current.state();
}

std::chrono::nanoseconds mutex::remaining() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->current.remaining();
}

void mutex::extend(std::chrono::milliseconds ttl) { extend(std::nothrow, ttl).value(); }

// Not under the gate's guard: it asks the server, and fence() or lost() of other threads should not wait for that.
result<void> mutex::extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept {
  return state_->current.extend(std::nothrow, ttl);
}

}  // namespace holdfast
