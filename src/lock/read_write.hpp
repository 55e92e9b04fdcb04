// The flavours of Redisson's read-write lock (src/scripts/_read_write.lua).
#pragma once

#include "lock/flavour.hpp"

#include <holdfast/result.hpp>

#include <chrono>
#include <string_view>

namespace holdfast::lock {

// Redisson's renewals of one reader set the time of all readers to its lockWatchdogTimeout, which is this unless configured. A
// longer lease of ours would be cut short by that, without our knowing.
inline constexpr std::chrono::milliseconds redisson_watchdog{30'000};

// The lock at `key`, to read or to write.
flavour_ptr redisson_reader(std::string_view key);
flavour_ptr redisson_writer(std::string_view key);

// bad_option if the ttl is longer than what this flavour can hold for.
result<void> check_ttl_of(const flavour& what, std::chrono::milliseconds ttl);

}  // namespace holdfast::lock
