// options, checked and with every default filled in: what the machines work with.
#pragma once

#include <holdfast/options.hpp>
#include <holdfast/result.hpp>

#include "runtime/clock.hpp"

namespace holdfast::lock {

struct terms {
  runtime::duration ttl{};
  runtime::duration stop_margin{};
  runtime::duration max_hold{};  // zero: no cap
  runtime::duration wait{};      // how long to wait; meaningless without `waits`
  bool waits = true;             // false: one try
  bool forever = true;           // waits without limit
  bool renew = true;
  bool fence = true;
  bool queue = true;
  backoff retry{};
  replica_count replicas{};
};

// The shortest and longest ttl.
inline constexpr std::chrono::milliseconds shortest_ttl{100};
inline constexpr std::chrono::milliseconds longest_ttl{std::chrono::hours{24 * 365}};

// A granted waiter must claim the lock within this time, or the lock goes to the next: what a waiter that died without
// closing its connection can cost the others.
inline constexpr std::chrono::milliseconds claim_window{3000};

result<void> check_ttl(std::chrono::milliseconds ttl);
result<terms> check(const options& how);

}  // namespace holdfast::lock
