// What a client counted since it was made: a snapshot, cheap to take.
#pragma once

#include <holdfast/error.hpp>
#include <holdfast/loss.hpp>

#include <array>
#include <chrono>
#include <cstdint>

namespace holdfast {

// Durations in buckets of doubling width: bucket 0 counts below 1 µs, bucket i counts [2^(i-1), 2^i) µs, the last counts
// everything longer.
class histogram {
 public:
  static constexpr std::size_t buckets = 40;

  void record(std::chrono::nanoseconds duration) noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::chrono::nanoseconds sum() const noexcept { return sum_; }
  // Upper edge of the bucket in which the given share (0 to 1) of the recorded durations is reached; 0 without any.
  [[nodiscard]] std::chrono::nanoseconds quantile(double share) const noexcept;
  [[nodiscard]] const std::array<std::uint64_t, buckets>& counts() const noexcept { return counts_; }

 private:
  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  std::chrono::nanoseconds sum_{};
};

struct stats {
  std::uint64_t attempts = 0;              // calls that tried to acquire
  std::uint64_t acquired = 0;              // … and did
  std::uint64_t contended = 0;             // … and found the lock held at first
  std::uint64_t timeouts = 0;              // … and gave up at their wait limit
  std::uint64_t cancelled = 0;             // … and were ended by their stop_token or by the client's end
  std::array<std::uint64_t, 32> errors{};  // by errc: errors[static_cast<std::size_t>(errc::unreachable)]
  std::array<std::uint64_t, 8> lost{};     // by loss_cause
  std::uint64_t released = 0;
  std::uint64_t renewals = 0;
  std::uint64_t handoffs_received = 0;  // grants that came through the queue
  std::uint64_t handoffs_given = 0;     // our releases that passed the lock to a waiter
  std::uint64_t woken_by_push = 0;      // waits that ended by a message
  std::uint64_t woken_by_timer = 0;     // waits that ended because the timer looked
  std::uint64_t reconnects = 0;
  std::uint64_t held_now = 0;
  std::uint64_t waiting_now = 0;

  histogram wait;                 // from the call to the lock, when acquired
  histogram hold;                 // from the lock to its release or loss
  histogram validity_at_renewal;  // what was left of the lease when a renewal was confirmed

  [[nodiscard]] std::uint64_t of(errc code) const noexcept { return errors[static_cast<std::size_t>(code)]; }
  [[nodiscard]] std::uint64_t of(loss_cause cause) const noexcept { return lost[static_cast<std::size_t>(cause)]; }
};

}  // namespace holdfast
