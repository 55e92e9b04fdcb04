// Durations as people write them in settings: 250ms, 2s, 1m; a bare number is milliseconds.
//
// Pure functions, safe from any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::topology {

// The largest duration a setting can have: poll(2) and friends count milliseconds in an int (about 24 days).
inline constexpr std::chrono::milliseconds longest_duration{2147483647};

// Nothing for zero, signs, fractions, other units, blanks, and what is longer than `longest_duration`.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

// In the largest unit that loses nothing: "2s", "1500ms".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds value);

}  // namespace holdfast::topology
