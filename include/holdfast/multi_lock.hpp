// Several locks at once: all of them or none.
//
//   auto both = holdfast::acquire_all(redis, {"account:7", "account:9"}, {.wait = 5s});   // throws holdfast::error
//   transfer(both.fence("account:7"), both.fence("account:9"), both.lost());
//
// Whatever order callers name them in, they cannot block one another for ever: when all are free they are taken in one
// atomic step; otherwise they are waited for one after the other, in one order for everybody (bytes of the name), and given
// back if not all can be had. The locks are those of `mutex`: a mutex of the same name excludes and is excluded. A name
// that is given twice counts once. At least one and at most 64.
//
//   the members are    acquire_all                                          try_acquire_all
//   all free           one round trip                                       one round trip
//   held, queued for   waits in their queues, `wait` at most in all         `held` names the first
//   lost meanwhile     gives all back and begins again, within `wait`       `lost`
//   refused, …         gives all back: the failure                          the same
//
//   state of multi_lease  means
//   VALID                 all members are
//   JEOPARDY              the next proof of some member is late
//   LOST                  some member is lost; the others are kept until release(), to keep others out meanwhile
//
// Thread safety: multi_lease as lease; multi_lock as mutex.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>
#include <holdfast/mutex.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

namespace detail {
struct multi_held;
}

class multi_lease {
 public:
  multi_lease() noexcept;  // holds nothing
  explicit multi_lease(std::unique_ptr<detail::multi_held> held) noexcept;
  multi_lease(multi_lease&&) noexcept;
  multi_lease& operator=(multi_lease&&) noexcept;  // releases what it held
  ~multi_lease();                                  // releases

  explicit operator bool() const noexcept { return state() != lease_state::LOST; }
  [[nodiscard]] lease_state state() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds remaining() const noexcept;  // of the member that ends first

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] const std::vector<std::string>& names() const noexcept;  // each once, in the order of taking
  // Of this member; 0 for a name that is none.
  [[nodiscard]] std::uint64_t fence(std::string_view name) const noexcept;

  // Requested when any member is lost; silent when they are released.
  [[nodiscard]] std::stop_token lost() const;
  // The loss of the first member that is lost. Runs at once on this thread if it has already happened.
  void on_lost(std::function<void(const loss&)> callback);

  // All members, one after the other; the first failure ends it. Those before it are extended.
  result<void> extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept;
  void extend(std::chrono::milliseconds ttl);

  // All members, in one round trip. was_lost: some member was; unknown: some answer did not come.
  release_outcome release() noexcept;

 private:
  std::unique_ptr<detail::multi_held> held_;
};

// options::on_lost is called once, for the first member that is lost. Throws `error`.
[[nodiscard]] multi_lease acquire_all(client& redis, const std::vector<std::string>& names, const options& how = {});
result<multi_lease> acquire_all(std::nothrow_t, client& redis, const std::vector<std::string>& names,
                                const options& how = {}) noexcept;
// Does not wait; options::wait must not be set.
result<multi_lease> try_acquire_all(client& redis, const std::vector<std::string>& names,
                                    const options& how = {}) noexcept;

// Lockable and TimedLockable over several names, as mutex is over one.
class multi_lock {
 public:
  // Throws `error` (bad_name, bad_option). `how.wait` and `how.stop` apply to lock().
  multi_lock(client& redis, std::vector<std::string> names, options how = {});
  ~multi_lock();
  multi_lock(const multi_lock&) = delete;
  multi_lock& operator=(const multi_lock&) = delete;

  void lock();
  result<void> lock(std::nothrow_t) noexcept;
  [[nodiscard]] bool try_lock();
  result<void> try_lock(std::nothrow_t) noexcept;
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& limit) {
    return try_lock_within(detail::to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return try_lock_within(detail::to_limit(when));
  }
  void unlock() noexcept;
  release_outcome release() noexcept;

  // Of the current hold, or of the last one.
  [[nodiscard]] std::uint64_t fence(std::string_view name) const noexcept;
  [[nodiscard]] std::stop_token lost() const;
  [[nodiscard]] lease_state state() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds remaining() const noexcept;

 private:
  bool try_lock_within(std::chrono::nanoseconds limit);
  struct state_type;
  std::unique_ptr<state_type> state_;
};

}  // namespace holdfast
