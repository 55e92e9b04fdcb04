// --once-per: which tick it is, and the mark that says that somebody has run in it.
//
// Ticks are cut by the server's clock, the only one that all hosts share: one begins at every multiple of the period since
// 1970 (UTC), a little early. Early, because a host whose clock runs ahead starts its cron job before the hour; that run
// must count for the coming tick, and the others', seconds later, with it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::cli {

inline constexpr std::chrono::milliseconds shortest_tick{1000};
inline constexpr std::chrono::milliseconds longest_tick{std::chrono::hours{24 * 365}};

// How much earlier a tick begins: a tenth of the period, at most 30 s.
[[nodiscard]] std::chrono::milliseconds tick_lead(std::chrono::milliseconds period) noexcept;

// From `now` (since 1970) to the beginning of the next tick, rounded up to whole milliseconds.
[[nodiscard]] std::chrono::milliseconds until_next_tick(std::chrono::microseconds now,
                                                        std::chrono::milliseconds period) noexcept;

// The mark beside the lock's key, in the same hash slot: "{nightly}:once".
[[nodiscard]] std::string mark_key(std::string_view lock_key);

}  // namespace holdfast::cli
