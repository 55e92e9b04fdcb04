// Redlock as it was published, for the experiment that shows what it lacks. The library's own is redis+quorum://.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace lab {

struct redlock_answer {
  std::size_t votes = 0;                 // nodes that gave it
  bool held = false;                     // a majority did, in time
  std::chrono::milliseconds validity{};  // how long it may be relied on, from now; 0 when not held
};

// The time before the first request, SET NX PX on all nodes in turn with a short limit for each, a majority needed,
// elapsed time and drift subtracted; after a failure released on all nodes, those that seemed to fail included. It waits
// for nobody, renews nothing, draws no fences, and does not ask whether a node has forgotten what it granted.
redlock_answer plain_redlock(const std::vector<std::string>& sockets, const std::string& key, const std::string& owner,
                             std::chrono::milliseconds ttl, std::chrono::milliseconds limit_per_node);

}  // namespace lab
