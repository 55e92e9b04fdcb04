// How many replicas are enough, and what WAIT and ROLE answer; without I/O.
#pragma once

#include "resp/value.hpp"

#include <holdfast/replica_count.hpp>
#include <holdfast/result.hpp>

#include <chrono>

namespace holdfast::lock {

// For a majority: of `seen`, the most that the primary has had while we looked. Replicas that are away count, or a majority
// would shrink with every one that is lost. At least one, always: "none is there" must not pass as success.
[[nodiscard]] int replicas_needed(replica_count asked, int seen) noexcept;

// The answer to WAIT: how many have it.
[[nodiscard]] result<int> read_wait(const resp::value& reply);

// The answer to ROLE: how many replicas are connected.
[[nodiscard]] result<int> read_replicas(const resp::value& reply);

[[nodiscard]] failure not_replicated(int needed, int had, std::chrono::milliseconds limit);

}  // namespace holdfast::lock
