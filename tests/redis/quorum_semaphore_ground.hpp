// What the tests of semaphores on a quorum share: questions about the permits on its nodes.
//
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "redis/quorum_common.hpp"

namespace holdfast::test {

// The slots of one owner on one node, as text; empty: none.
inline std::string slots_at(quorum_group& nodes, std::size_t which, const std::string& key, std::string_view owner) {
  const auto vote = nodes.node(which).command({"HGET", key, std::string{owner}});
  if (vote.is_nil()) return {};
  return vote.text.substr(vote.text.rfind(' ') + 1);
}
inline bool on_all(quorum_group& nodes, const std::string& key, std::string_view owner) {
  return eventually(patience, [&] {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < nodes.size(); ++i) seen.insert(slots_at(nodes, i, key, owner));
    return seen.size() == 1 && !seen.contains("");
  });
}

}  // namespace holdfast::test
