// std::latch across machines: wait until so many things have been done, by whomever.
//
//   holdfast::latch imported{redis, "import:2024-05-01", 16};   // in each of 16 workers, and in whoever waits for them
//   imported.count_down();                                      // a worker
//   imported.wait();                                            // the one who goes on afterwards
//
//   operation         count above 0                        open (count 0)          gone (not used for its ttl, data lost)
//   count_down(n)     count - n; 0 opens it                `bad_option`            `lost`
//   try_wait()        false                                true                    `lost`
//   wait()            waits                                returns                 `lost`
//   wait_for(d)       waits, at most d: false then         true                    `lost`
//   arrive_and_wait   count_down(n), wait()                `bad_option`            `lost`
//
// Whoever comes first makes it, with the count that it expects; whoever names it with another count gets `bad_option`, and
// the text tells both counts. An object that has not spoken to the server yet finds no latch "gone": it makes one. More
// counted down than is left is `bad_option` too, and counts nothing.
//
// A latch opens once and stays open until nobody has used it for its ttl (meeting_options, a day); then the server has no
// key of it left. So give each round of work a name of its own, or use a barrier.
//
// - No wait depends on a message: a waiter also looks about once a second (D14).
// - count_down counts once however often it has to be sent, because each carries an id that the server remembers for five
//   times connect_timeout + command_timeout. It blocks for that sum at most; if it then fails with sent() == unanswered, it
//   may have counted.
// - Whoever dies before counting down is not replaced: the others wait until their limit, and `timed_out` tells how many
//   are missing. A process that is started in its place counts in its place.
// - Waits count in client::stats() like those for locks.
//
// Thread safety: everything from any number of threads. Fork: as client.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/limit.hpp>
#include <holdfast/meeting_options.hpp>

#include <cstddef>
#include <memory>

namespace holdfast {

namespace detail {
class meeting;
}

class latch {
 public:
  // Sends nothing. Throws `error` (bad_name, bad_option). `expected` is 0 to 1,000,000,000; 0 is open from the start.
  latch(client& redis, std::string_view name, std::ptrdiff_t expected, meeting_options how = {});
  ~latch();
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  void count_down(std::ptrdiff_t n = 1);
  result<void> count_down(std::nothrow_t, std::ptrdiff_t n = 1) noexcept;

  [[nodiscard]] bool try_wait() const;
  result<bool> try_wait(std::nothrow_t) const noexcept;

  // meeting_options::wait at most: `timed_out` then.
  void wait() const;
  result<void> wait(std::nothrow_t) const noexcept;

  // False: the limit passed.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& limit) const {
    return wait_within(detail::to_limit(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when) const {
    return wait_within(detail::to_limit(when));
  }
  // A limit that is not positive looks once.
  result<void> wait_for(std::nothrow_t, std::chrono::nanoseconds limit) const noexcept;

  void arrive_and_wait(std::ptrdiff_t n = 1);
  result<void> arrive_and_wait(std::nothrow_t, std::ptrdiff_t n = 1) noexcept;

  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::ptrdiff_t expected() const noexcept;

 private:
  [[nodiscard]] bool wait_within(std::chrono::nanoseconds limit) const;

  std::unique_ptr<detail::meeting> meeting_;
};

}  // namespace holdfast
