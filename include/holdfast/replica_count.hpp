// How many replicas must have a lock before it counts as taken: docs/deployments.md, "Replicas".
//
//   redis.acquire("invoice:42", {.replicas = 1});
//   redis.acquire("invoice:42", {.replicas = holdfast::majority});
#pragma once

namespace holdfast {

struct replica_count {
  constexpr replica_count() = default;
  constexpr replica_count(int count) : value{count} {}  // NOLINT(google-explicit-constructor): {.replicas = 1}
  int value = 0;                                        // 0: none is waited for; -1: a majority

  friend constexpr bool operator==(replica_count, replica_count) = default;
};

// With the primary, more than half of all that have been seen: 1 of 1 or 2 replicas, 2 of 3 or 4. At least one.
inline constexpr replica_count majority{-1};

// The most that can be asked for.
inline constexpr int most_replicas = 1000;

}  // namespace holdfast
