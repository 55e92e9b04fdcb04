// std::counting_semaphore across machines: n permits, taken k at a time.
//
// First come, first served: whoever wants many permits is not overtaken by those who want few, so nobody starves. A hold of k permits is
// one lease: renewed, with a loss signal, and with its own end by the server's clock and nobody else's. A holder that crashes loses its
// permits to the others when its ttl is over; no permit is ever lost for good.
//
//   operation             enough are free, nobody waits   else                                 more than there are at all
//   acquire(k), take(k)   k permits                       waits in the queue                   `bad_option` at once
//   try_acquire(k)        true                            false                                `bad_option`
//   try_acquire_for(d,k)  true                            waits, at most d                     `bad_option`
//   release(k)            gives back a hold of k permits, or k holds of one; `not_owner` if this object has neither
//   set_capacity(n)       for all processes, at once: more let waiters in; with fewer, holders finish as they are
//
// acquire() keeps the leases in this object, and any thread may release(), as with the standard's. take() gives the lease to the caller,
// who learns of its loss by itself; with acquire() that is what options::on_lost is for. What this object still has when it is
// destroyed is given back.
//
// Capacity: what the constructor says, and all processes should say the same; from set_capacity() on, what that said, for as
// long as somebody acquires at least once a week.
//
// Fences increase in the order of the queue and say nothing about those who hold at the same time.
//
// On a quorum (docs/quorum_family.md): at most 10,000 permits; first come, first served is usual and not promised, so whoever wants many
// can be overtaken by those who want few; two holds that were acquired at the same time may have the same fence.
//
// Thread safety: everything may be called from any number of threads.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>

#include <cstdint>
#include <memory>

namespace holdfast {

class semaphore {
 public:
  // 1 to 100,000,000 permits. Throws `error` (bad_name, bad_option). `how.wait` and `how.stop` apply to acquire() and take();
  // `how.owner` must be empty: every hold has an owner of its own.
  semaphore(client& redis, std::string_view name, std::uint64_t permits, options how = {});
  ~semaphore();
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  void acquire(std::uint64_t permits = 1);
  result<void> acquire(std::nothrow_t, std::uint64_t permits = 1) noexcept;
  [[nodiscard]] bool try_acquire(std::uint64_t permits = 1) { return try_within({}, permits); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& limit, std::uint64_t permits = 1) {
    return try_within(detail::to_limit(limit), permits);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& when,
                                       std::uint64_t permits = 1) {
    return try_within(detail::to_limit(when), permits);
  }
  result<void> try_acquire_for(std::nothrow_t, std::chrono::nanoseconds limit, std::uint64_t permits = 1) noexcept;

  void release(std::uint64_t permits = 1);
  result<void> release(std::nothrow_t, std::uint64_t permits = 1) noexcept;

  // The lease form; all permits of one take() are one lease.
  [[nodiscard]] lease take(std::uint64_t permits = 1);
  result<lease> take(std::nothrow_t, std::uint64_t permits = 1) noexcept;
  result<lease> take(std::nothrow_t, std::uint64_t permits,
                     const options& how) noexcept;  // instead of the constructor's
  result<lease> try_take(std::uint64_t permits = 1) noexcept;

  void set_capacity(std::uint64_t permits);
  result<void> set_capacity(std::nothrow_t, std::uint64_t permits) noexcept;

  // The capacity as this object knows it: what it was made with, or has set.
  [[nodiscard]] std::uint64_t max() const noexcept;
  [[nodiscard]] std::string_view name() const noexcept;

 private:
  bool try_within(std::chrono::nanoseconds limit, std::uint64_t permits);

  struct state_type;
  std::unique_ptr<state_type> state_;
};

}  // namespace holdfast
