// How a latch or a barrier is kept, and how long it is waited for. Every field has a test that shows its effect
// (tests/redis/latch_scenes_test.cpp).
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace holdfast {

struct meeting_options {
  // The server forgets it this long after its last use; each arrival, each look and each heartbeat of a waiter is a use.
  // Longer than the longest time between two arrivals that nobody waits for. 1 s to 365 days.
  std::chrono::milliseconds ttl{std::chrono::hours{24}};

  // How long wait() and arrive_and_wait() wait. None: as long as it takes.
  std::optional<std::chrono::milliseconds> wait{};

  // Put before the name to make the key. None: the client's.
  std::optional<std::string> prefix{};

  // Ends every wait with `cancelled`.
  std::stop_token stop{};
};

}  // namespace holdfast
