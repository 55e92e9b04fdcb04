// What the tests of the cache on a quorum under faults share.
//
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <string>

#include "redis/quorum_common.hpp"

namespace holdfast::test {

// Nothing but values.
inline bool no_lock_is_left(quorum_group& nodes) {
  return eventually(patience, [&] {
    for (const std::string& key : nodes.left_behind()) {
      if (!key.ends_with(":value")) return false;
    }
    return true;
  });
}

}  // namespace holdfast::test
