// The one clock of the library: CLOCK_BOOTTIME, which never steps and also runs while the machine sleeps. A lease that
// was counted on a clock that stands still during sleep would look alive on a laptop that was just opened.
#pragma once

#include <chrono>
#include <ctime>

namespace holdfast::runtime {

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

using time_point = boot_clock::time_point;
using duration = boot_clock::duration;

// "Never". Kept far from the type's limit so that adding a little to it does not overflow.
inline constexpr time_point never{duration{std::chrono::hours{24 * 365 * 200}}};

// `from + length`, or never where that would be beyond it.
inline time_point after(time_point from, duration length) noexcept {
  return length >= never - from ? never : from + length;
}

}  // namespace holdfast::runtime
