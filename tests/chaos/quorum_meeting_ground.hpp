// What the tests of meetings on a quorum under faults share: questions about a latch or a barrier on the nodes.
//
// In a namespace of its own: other grounds of this program have a `patience` that is another. Thread safety: that of
// redis_server, one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "support/eventually.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test::quorum_meetings {

inline constexpr std::chrono::milliseconds patience{15'000};

inline std::string at(redis_server& node, const std::string& key, const std::string& name) {
  const auto got = node.command({"HGET", key, name});
  return got.type == reply::kind::nil ? std::string{} : got.text;
}

// All nodes that run have the same of it.
inline bool together(quorum_group& nodes, const std::string& key) {
  std::string first;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.node(i).pid() <= 0) continue;
    const std::string here = at(nodes.node(i), key, "version");
    if (here.empty() || (!first.empty() && here != first)) return false;
    first = here;
  }
  return !first.empty();
}

inline bool waiting(quorum_group& nodes, const std::string& name, long long count) {
  return eventually(patience, [&] {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.node(i).pid() > 0 && nodes.node(i).number({"ZCARD", "{" + name + "}:waiters"}) != count) return false;
    }
    return true;
  });
}

}  // namespace holdfast::test::quorum_meetings
