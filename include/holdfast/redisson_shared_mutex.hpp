// std::shared_timed_mutex across machines, in the layout of Redisson's RReadWriteLock: readers together, writers alone, and a Java
// service and this one on the same name are readers and writers of one lock, and wake each other.
//
// Where nobody in Java is concerned, take `shared_mutex`: it can upgrade, lets nobody starve and knows no longest ttl.
//
// Meets SharedLockable, SharedTimedLockable, Lockable and TimedLockable: works with std::shared_lock, std::unique_lock,
// std::lock_guard and std::scoped_lock.
//
//   the calling thread    has nothing                  reads                            writes
//   lock()                writes; waits for all        `deadlock`                       `deadlock`
//   lock_shared()         reads; waits for writers     `deadlock`                       `deadlock`
//   try_ forms            true, or false if in use     `deadlock`                       `deadlock`
//   unlock()              undefined                    undefined                        gives back; the next go in
//   unlock_shared()       undefined                    gives back; the next go in       undefined
//   downgrade()           `lost`                       reads                            reads; readers go in, too
//   fence, lost, …        0, requested, …              of this hold                     of this hold
//
// The forms without std::nothrow throw `error`; false from a try_ form only ever means "in use by others". unlock() and
// unlock_shared() are noexcept.
//
// Each hold is a lease of its own. A reader's ends by its own timeout key: one that crashes frees its share when its ttl is over, and
// never another's. But Redisson's renewals are for all readers: while a reader in Java is renewed, so is ours that crashed.
//
// ttl is 30 s at most, for the same reason: with each renewal Redisson sets the end of every reader to its lockWatchdogTimeout
// (30 s unless configured), and would cut a longer lease short. Where Java's is configured to less, so must ttl be.
//
// Fairness. Among ours: first come, first served, readers who stand next to one another together; nobody behind a waiting writer
// overtakes. Java's waiters get every eighth turn. Java's readers do not know our queue and join whoever reads, as they do among
// themselves: so they can keep our writers waiting, as theirs, and our readers their writers.
//
// Fences. As those of shared_mutex; Java's holders have none.
//
// Thread safety: everything may be called from any number of threads of a process, and each thread's hold is its own: unlock where you
// locked. A hold of which the lease was lost keeps nobody out: look at lost().
//
// Not the layout of any other lock of ours: a name belongs to one kind. The other kind gets `wrong_type`. Redisson itself does not
// keep its own RLock and RReadWriteLock of one name apart.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>

#include <memory>

namespace holdfast {

class redisson_shared_mutex {
 public:
  // Throws `error` (bad_name, bad_option). `how.wait` and `how.stop` apply to lock() and lock_shared(). `how.owner` must be empty:
  // every hold has an owner of its own. The prefix counts as for all locks: to meet Java's getReadWriteLock("orders") without one, the
  // client has none, or `how.prefix` is "".
  redisson_shared_mutex(client& redis, std::string_view name, options how = {});
  ~redisson_shared_mutex();
  redisson_shared_mutex(const redisson_shared_mutex&) = delete;
  redisson_shared_mutex& operator=(const redisson_shared_mutex&) = delete;

  void lock();
  result<void> lock(std::nothrow_t) noexcept;
  [[nodiscard]] bool try_lock() { return try_within(true, {}); }
  result<void> try_lock(std::nothrow_t) noexcept { return try_lock_for(std::nothrow, {}); }  // `held` names the holder
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& limit) {
    return try_within(true, detail::to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_within(true, detail::to_limit(when));
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
    return try_within(false, detail::to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_within(false, detail::to_limit(when));
  }
  result<void> try_lock_shared_for(std::nothrow_t, std::chrono::nanoseconds limit) noexcept;
  void unlock_shared() noexcept { static_cast<void>(release()); }

  // unlock() or unlock_shared(), whichever it is, that tells how it went.
  release_outcome release() noexcept;

  // Redisson does the same by taking the read lock while holding the write lock, and giving the latter back.
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

 private:
  bool try_within(bool writes, std::chrono::nanoseconds limit);

  struct state_type;
  std::unique_ptr<state_type> state_;
};

}  // namespace holdfast
