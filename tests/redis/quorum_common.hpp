// What the tests of the primitives on a quorum share.
#pragma once

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {

inline bool nothing_left(quorum_group& nodes) {
  return eventually(patience, [&] { return nodes.left_behind().empty(); });
}

}  // namespace holdfast::test
