// What shared_mutex and redisson_shared_mutex have in common: the standard's members of a shared_timed_mutex, and those of the calling
// thread's hold. Not for use by hand: nobody can make one, or destroy one through it.
//
// What each member does in which state says the table at the head of those two headers, and so for thread safety.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <stop_token>
#include <string_view>

namespace holdfast::detail {

class read_write_state;

class read_write_lock {
 public:
  read_write_lock(const read_write_lock&) = delete;
  read_write_lock& operator=(const read_write_lock&) = delete;

  void lock();
  result<void> lock(std::nothrow_t) noexcept;
  [[nodiscard]] bool try_lock() { return try_within(true, {}); }
  result<void> try_lock(std::nothrow_t) noexcept { return try_lock_for(std::nothrow, {}); }  // `held` names the holder
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& limit) {
    return try_within(true, to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_within(true, to_limit(when));
  }
  // A limit that is not positive tries once, as the standard says.
  result<void> try_lock_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept;
  void unlock() noexcept { static_cast<void>(release()); }

  void lock_shared();
  result<void> lock_shared(std::nothrow_t) noexcept;
  [[nodiscard]] bool try_lock_shared() { return try_within(false, {}); }
  result<void> try_lock_shared(std::nothrow_t) noexcept { return try_lock_shared_for(std::nothrow, {}); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& limit) {
    return try_within(false, to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_within(false, to_limit(when));
  }
  result<void> try_lock_shared_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept;
  void unlock_shared() noexcept { static_cast<void>(release()); }

  // unlock() or unlock_shared(), whichever it is, that tells how it went.
  release_outcome release() noexcept;

  void downgrade();
  result<void> downgrade(std::nothrow_t) noexcept;

  [[nodiscard]] std::string_view name() const noexcept;

  // Of the calling thread's hold.
  [[nodiscard]] std::uint64_t fence() const noexcept;
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] lease_state state() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds remaining() const noexcept;
  void extend(std::chrono::milliseconds ttl);
  result<void> extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept;

 protected:
  explicit read_write_lock(std::unique_ptr<read_write_state> made) noexcept;
  ~read_write_lock();

  [[nodiscard]] read_write_state& inner() noexcept { return *state_; }

 private:
  bool try_within(bool writes, std::chrono::nanoseconds limit);

  std::unique_ptr<read_write_state> state_;
};

}  // namespace holdfast::detail
