// From any std::chrono duration or time point to a wait limit that cannot overflow.
#pragma once

#include <chrono>

namespace holdfast::detail {

template <class Rep, class Period>
std::chrono::nanoseconds to_limit(const std::chrono::duration<Rep, Period>& limit) {
  using wide = std::chrono::duration<double, std::nano>;
  // Whatever exceeds a century is a century: std::chrono would overflow.
  if (wide{limit} > wide{3.15e18}) return std::chrono::nanoseconds{3'150'000'000'000'000'000};
  if (wide{limit} <= wide{0}) return std::chrono::nanoseconds{0};
  return std::chrono::ceil<std::chrono::nanoseconds>(limit);
}

template <class Clock, class Duration>
std::chrono::nanoseconds to_limit(const std::chrono::time_point<Clock, Duration>& when) {
  const auto now = Clock::now();
  // Compared first: the distance to a time far in the past would overflow.
  return when <= now ? std::chrono::nanoseconds{0} : to_limit(when - now);
}

}  // namespace holdfast::detail
