// The clock of `run`: CLOCK_BOOTTIME, as in the library, because a lease also runs out while the machine sleeps.
#pragma once

#include <chrono>
#include <ctime>

namespace holdfast::cli {

struct boot_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<boot_clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec at{};
    clock_gettime(CLOCK_BOOTTIME, &at);
    return time_point{std::chrono::seconds{at.tv_sec} + std::chrono::nanoseconds{at.tv_nsec}};
  }
};

using boot_time = boot_clock::time_point;

inline std::chrono::milliseconds since(boot_time then) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(boot_clock::now() - then);
}

}  // namespace holdfast::cli
