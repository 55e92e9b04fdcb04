// The one clock of all processes of an experiment: CLOCK_BOOTTIME, which they share and nobody steps.
#pragma once

#include <time.h>

#include <cstdint>

namespace lab {

inline std::int64_t now_ns() noexcept {
  timespec at{};
  clock_gettime(CLOCK_BOOTTIME, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

}  // namespace lab
