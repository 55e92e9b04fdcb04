// What the tests of elections on a quorum share.
//
// Thread safety: that of quorum_group.
#pragma once

#include "redis/elections.hpp"
#include "redis/quorum_common.hpp"

namespace holdfast::test {

inline bool waits_on(quorum_group& nodes, long long count, std::size_t node = 0) {
  return eventually(patience, [&] { return nodes.node(node).number({"ZCARD", waiters_of("seat")}) == count; });
}

}  // namespace holdfast::test
