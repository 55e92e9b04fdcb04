// std::barrier across machines: so many participants wait for one another, phase after phase.
//
//   holdfast::barrier step{redis, "simulation:7", 4};   // in each of 4 processes
//   for (;;) { compute(); step.arrive_and_wait(); }     // nobody begins the next step before all have ended this one
//
//   operation            some are missing           the last one arrives                 gone (not used for its ttl, …)
//   arrive(n)            counted; a token           counted; the next phase begins       `lost`
//   wait(token)          waits                      returns                              `lost`
//   wait_for(token, d)   waits, at most d           true                                 `lost`
//   arrive_and_wait()    arrive, wait               returns; so do all others            `lost`
//   arrive_and_drop()    counted, and later phases take one less; the last one to drop ends the barrier
//
// Whoever comes first makes it, with the number of participants; another number is refused with `bad_option`, and the text
// tells both. So is an arrival of more than are missing. Between phases nothing has to be set up, and the number does not
// change but by dropping.
//
// - No wait depends on a message: a waiter also looks about once a second (D14).
// - An arrival counts once however often it has to be sent (latch.hpp says for how long).
// - A participant that dies before it arrives: the others wait until their limit, and `timed_out` tells how many are
//   missing. Whoever arrived has arrived, also if it died or gave up afterwards. So the phase still ends if somebody arrives
//   in place of the dead. After `timed_out` do not arrive again in the same phase: wait(token) again.
// - The keys are gone when it has not been used for its ttl (meeting_options, a day); when all have dropped, after five
//   times connect_timeout + command_timeout.
//
// Thread safety: everything from any number of threads. Fork: as client.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>
#include <holdfast/meeting_options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace holdfast {

namespace detail {
class meeting;
}

class barrier {
 public:
  // Which phase of which barrier somebody arrived in. May be waited for from any thread, and by another object of the
  // same name and number.
  struct arrival_token {
    std::uint64_t made = 0;
    std::uint64_t phase = 0;
  };

  // Sends nothing. Throws `error` (bad_name, bad_option). `expected` is 1 to 1,000,000,000.
  barrier(client& redis, std::string_view name, std::ptrdiff_t expected, meeting_options how = {});
  ~barrier();
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  [[nodiscard]] arrival_token arrive(std::ptrdiff_t n = 1);
  result<arrival_token> arrive(std::nothrow_t, std::ptrdiff_t n = 1) noexcept;

  // meeting_options::wait at most: `timed_out` then.
  void wait(const arrival_token& arrival) const;
  result<void> wait(std::nothrow_t, const arrival_token& arrival) const noexcept;

  // False: the limit passed.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const arrival_token& arrival, const std::chrono::duration<Rep, Period>& limit) const {
    return wait_within(arrival, detail::to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const arrival_token& arrival,
                                const std::chrono::time_point<Clock, Duration>& when) const {
    return wait_within(arrival, detail::to_limit(when));
  }
  // A limit that is not positive looks once.
  result<void> wait_for(std::nothrow_t, const arrival_token& arrival, std::chrono::nanoseconds limit) const noexcept;

  void arrive_and_wait();
  result<void> arrive_and_wait(std::nothrow_t) noexcept;

  void arrive_and_drop();
  result<void> arrive_and_drop(std::nothrow_t) noexcept;

  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::ptrdiff_t expected() const noexcept;  // as given; not less those who dropped

 private:
  [[nodiscard]] bool wait_within(const arrival_token& arrival, std::chrono::nanoseconds limit) const;

  std::unique_ptr<detail::meeting> meeting_;
};

}  // namespace holdfast
