// std::timed_mutex across machines.
//
// Meets Lockable and TimedLockable: works with std::unique_lock, std::lock_guard, std::scoped_lock (also over several)
// and std::condition_variable_any. All threads of all processes that name the same lock on the same Redis exclude one
// another, and so do users of the plain SET NX PX layout (redis-py, redsync, …) on the same key.
//
//   operation          free              held elsewhere           held through this object
//   lock()             locks             waits in the queue       waits (must be another thread)
//   try_lock()         true              false                    false
//   try_lock_for(d)    true              waits, at most d         waits, at most d
//   unlock()           undefined         undefined                releases; next in the queue has it
//   fence, lost, …     0, never, …       of the last hold         of this hold
//
// lock() and the try_ forms throw `error` when the answer cannot be had (unreachable, refused, …): false only ever means
// "held by somebody else". unlock() is noexcept. Several threads may share one object: it admits one at a time, also when
// the lease of the thread inside was lost, because that thread is still inside.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>

#include <memory>

namespace holdfast {

class mutex {
 public:
  // Throws `error` (bad_name, bad_option). `how.wait` and `how.stop` apply to lock().
  mutex(client& redis, std::string_view name, options how = {});
  ~mutex();
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock();
  result<void> lock(std::nothrow_t) noexcept;

  [[nodiscard]] bool try_lock();
  result<void> try_lock(std::nothrow_t) noexcept;  // `held` names the holder

  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& limit) {
    return try_lock_within(detail::to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_lock_within(detail::to_limit(when));
  }
  // A limit that is not positive tries once, as the standard says.
  result<void> try_lock_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept;

  void unlock() noexcept;
  release_outcome release() noexcept;  // unlock() that tells how it went

  [[nodiscard]] std::string_view name() const noexcept;

  // Of the current hold, or of the last one.
  [[nodiscard]] std::uint64_t fence() const noexcept;
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] lease_state state() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds remaining() const noexcept;
  void extend(std::chrono::milliseconds ttl);
  result<void> extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept;

 private:
  bool try_lock_within(std::chrono::nanoseconds limit);

  struct state_type;
  std::unique_ptr<state_type> state_;
};

}  // namespace holdfast
