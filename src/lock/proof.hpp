// What an answer of the server proves, and until when it may be relied on.
#pragma once

#include "runtime/clock.hpp"

#include <cstdint>

namespace holdfast::lock {

// From `sent` on, for `length`, the lock is ours.
struct proof {
  runtime::time_point sent{};
  runtime::duration length{};
};

// The local end of a proof: counted from the sending, minus drift (1 % + 2 ms) and the stop margin.
inline runtime::time_point deadline_of(const proof& held, runtime::duration stop_margin) noexcept {
  return held.sent + held.length - held.length / 100 - std::chrono::milliseconds{2} - stop_margin;
}

// How a lock was won.
struct acquisition {
  std::uint64_t fence = 0;
  proof held{};
  bool through_queue = false;
  bool by_push = false;
};

}  // namespace holdfast::lock
