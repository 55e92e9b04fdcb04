// std::recursive_timed_mutex across machines, in the layout of Redisson's RLock: a Java service and this one exclude each
// other on the same name, and wake each other.
//
// Meets Lockable and TimedLockable. The owner is the calling thread, as for std::recursive_timed_mutex; or, with
// options::owner, whoever uses that id, from any thread. All objects of one client with the same name are one lock: a
// function may make its own and enter again what its caller holds.
//
//   operation          free              held by me                     held by somebody else
//   lock()             locks, depth 1    one deeper; no round trip      waits in the queue
//   try_lock()         true              true, one deeper               false
//   try_lock_for(d)    true              true, one deeper               waits, at most d
//   unlock()           does nothing      one less; the last releases    does nothing
//   depth()            0                 how often I must unlock        0
//   fence, lost, …     of the last hold  of this hold                   of the last hold in this process
//
//   Entering again is proven by the lease, which is renewed for as long as the outermost hold lasts. If the lease is lost,
//   lock() and the try_ forms of the same owner fail with `lost` until it has unlocked as often as it locked; other threads
//   of this process are kept out until then.
//
// lock() and the try_ forms throw `error` when the answer cannot be had: false only ever means "held by somebody else".
// The options of the outermost lock() count. For as long as the lock is held, its count on the server is 1, whatever the
// depth (docs/family.md says why). It lies at the key as Redisson would have it, so it does not exclude a plain `mutex` of
// the same name: that one fails with `wrong_type`, as does this one on a plain lock.
//
// Thread safety: any number of threads may use one object.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>

#include <memory>

namespace holdfast {

class recursive_mutex {
 public:
  // Throws `error` (bad_name, bad_option). `how.wait` and `how.stop` apply to lock(). The prefix counts as for all locks:
  // to meet Java's getLock("orders") without one, the client has none, or `how.prefix` is "".
  recursive_mutex(client& redis, std::string_view name, options how = {});
  ~recursive_mutex();
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;

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
  // unlock() that tells how it went. Of an inner hold: `released`, or `was_lost` if the lease is lost by now.
  release_outcome release() noexcept;

  [[nodiscard]] std::string_view name() const noexcept;
  // How often the caller is inside.
  [[nodiscard]] std::uint64_t depth() const noexcept;

  // Of the current hold of this process, or of its last one.
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
