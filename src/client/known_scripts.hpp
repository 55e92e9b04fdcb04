// Which scripts the nodes of a quorum have, so that they can be sent by hash.
//
// A node that does not know a hash says so, and the text follows; by then a vote may have been decided without that node and its
// lock been asked for again, on the same link and before the text: a release that comes too late. So each node is sent the text
// until it has answered it once. What a process has learnt it keeps (but for SCRIPT FLUSH, and Redis 7.4's eviction of scripts
// after 500 others): hence known by run id.
// Guarded by the client's mutex.
#pragma once

#include "scripts/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::detail {

class known_scripts {
 public:
  [[nodiscard]] bool has(std::size_t node, std::string_view run_id, const scripts::script& what) const noexcept {
    if (node >= nodes_.size() || nodes_[node].run_id != run_id) return false;
    const auto& known = nodes_[node].known;
    return std::find(known.begin(), known.end(), &what) != known.end();
  }

  void learn(std::size_t node, std::string_view run_id, const scripts::script& what) {
    if (has(node, run_id, what)) return;
    if (node >= nodes_.size()) nodes_.resize(node + 1);
    process& at = nodes_[node];
    if (at.run_id != run_id) at = {std::string{run_id}, {}};
    at.known.push_back(&what);
  }

  void forget(std::size_t node, const scripts::script& what) noexcept {
    if (node < nodes_.size()) std::erase(nodes_[node].known, &what);
  }

 private:
  struct process {
    std::string run_id;
    std::vector<const scripts::script*> known;
  };
  std::vector<process> nodes_;
};

}  // namespace holdfast::detail
