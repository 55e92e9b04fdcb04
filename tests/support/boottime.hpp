// Now on CLOCK_BOOTTIME, in nanoseconds: one clock for all processes of a machine, so that intervals written by
// different processes can be compared. It is the clock of the library's own deadlines. Safe from any thread.
#pragma once

#include <time.h>

#include <cstdint>

namespace holdfast::test {

[[nodiscard]] inline std::int64_t boottime_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace holdfast::test
