// A lock on several independent servers, as the experiments see it; and the plain Redlock that they use.
//
// The interface is all that experiments know, so that another quorum can be put in its place.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lab {

class quorum_lock {
 public:
  struct answer {
    std::size_t votes = 0;                 // nodes that gave it
    bool held = false;                     // a majority did, in time
    std::chrono::milliseconds validity{};  // how long it may be relied on, from now; 0 when not held
  };

  virtual ~quorum_lock() = default;
  virtual answer acquire(const std::string& owner, std::chrono::milliseconds ttl) = 0;
  // On how many nodes it was taken away.
  virtual std::size_t release(const std::string& owner) = 0;
};

// As published: the time before the first request, SET NX PX on all nodes in turn with a short limit for each, a
// majority needed, elapsed time and drift subtracted; after a failure released on all nodes, those that seemed to fail
// included. It waits for nobody, renews nothing and draws no fences.
std::unique_ptr<quorum_lock> plain_redlock(const std::vector<std::string>& sockets, std::string key,
                                           std::chrono::milliseconds limit_per_node);

}  // namespace lab
