// The right to a lock, held until a deadline.
//
// A lease is movable and not bound to a thread: acquire it here, release it there. Its deadline is local and
// conservative: counted on a clock that also runs while the machine sleeps (CLOCK_BOOTTIME), from the moment the request
// was SENT, minus 1 % and 2 ms for clock drift and minus the stop margin. So the holder learns of the end before the
// server can give the lock to anybody else, whatever the network does.
//
//   state      means                                     leaves it by
//   VALID      proven and in time                        a renewal fails or is overdue -> JEOPARDY; proof or time -> LOST
//   JEOPARDY   still ours, but the next proof is late    a renewal succeeds -> VALID; proof or time -> LOST
//   LOST       not ours any more; never comes back       (final)
//
//   operation    VALID, JEOPARDY                LOST            released, left  empty or moved from
//   state()      VALID, JEOPARDY                LOST            LOST            LOST
//   remaining()  time to the deadline           0               0               0
//   fence()      the number                     the number      the number      0
//   extend()     new deadline, or `lost`        `lost`          `lost`          `lost`
//   release()    released | was_lost | unknown  was_lost        was_lost        was_lost
//   leave()      left, or `lost`, unreachable   `lost`          `lost`          `lost`
//
// Thread safety: all const functions, extend() and release() may be called from any thread at any time; moving and
// destroying need the usual care. state(), remaining() and lost() look at the clock themselves: after the process was
// stopped or the machine slept, the first of these calls already tells the loss.
#pragma once

#include <holdfast/loss.hpp>
#include <holdfast/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stop_token>
#include <string>
#include <string_view>

namespace holdfast {

namespace detail {
class held_lease;
struct lease_access;
}  // namespace detail

enum class lease_state : unsigned char { VALID, JEOPARDY, LOST };
[[nodiscard]] std::string_view to_string(lease_state state) noexcept;

enum class release_outcome : unsigned char {
  released,  // the server confirmed: it was ours until now
  was_lost,  // it was not ours any more
  unknown,   // the answer did not come; the server frees the lock by itself when the ttl ends
};
[[nodiscard]] std::string_view to_string(release_outcome outcome) noexcept;

class lease {
 public:
  lease() noexcept;  // holds nothing
  lease(lease&&) noexcept;
  lease& operator=(lease&&) noexcept;  // releases what it held
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  // Releases. A lease from a blocking call waits for the answer, at most command_timeout; one from a coroutine sends the
  // release and does not wait.
  ~lease();

  // Whether there is a lease and it is not LOST.
  explicit operator bool() const noexcept { return state() != lease_state::LOST; }

  [[nodiscard]] lease_state state() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds remaining() const noexcept;

  // Increases from holder to holder of this lock, also over restarts and data loss of the server as long as its clock does
  // not step back at the same time; a guarded resource refuses smaller ones.
  [[nodiscard]] std::uint64_t fence() const noexcept;

  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::string_view key() const noexcept;
  [[nodiscard]] std::string_view owner() const noexcept;

  // Requested when the lease is lost; stays silent when it is released.
  [[nodiscard]] std::stop_token lost() const;

  // As options::on_lost, added later; runs at once on this thread if the loss has already happened.
  void on_lost(std::function<void(const loss&)> callback);

  // The lease ends `ttl` from now (renewals go on with the new ttl). Throws `error`: lost, unreachable, bad_option.
  void extend(std::chrono::milliseconds ttl);
  result<void> extend(std::nothrow_t, std::chrono::milliseconds ttl) noexcept;

  // Gives the lock back: to the first waiter, if there is one. Never throws; blocks for command_timeout at most.
  release_outcome release() noexcept;

  // Lets go without releasing: the lock stays on the server for a whole ttl from now (or to the end of max_hold),
  // nobody renews it, and the destructor does nothing. Whoever knows owner() may extend or release it from any process
  // (client::extend, client::release, with key()). On failure the lease is as before: `lost` if it was not ours any
  // more, unreachable, …
  result<void> leave() noexcept;

 private:
  friend struct detail::lease_access;
  std::shared_ptr<detail::held_lease> held_;
};

}  // namespace holdfast
