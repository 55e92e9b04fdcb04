// Redisson's RLock as Java does it, step by step, over plain connections: the other side of the tests of recursive_mutex.
// Written from the description of its layout (docs/wire.md); no Java runs here.
//
//   redisson_lock java{server, "door"};       // one thread of one Java process: its owner is <uuid>:<thread>
//   if (!java.try_lock(30s)) ...              // how long the holder has, as Java learns it
//
// Thread safety: none, one thread at a time per object.
#pragma once

#include <string>

#include "support/redisson_steps.hpp"

namespace holdfast::test {

// True of unlock(): released, and `0` published.
class redisson_lock : public redisson_locking {
 public:
  redisson_lock(const redis_server& server, std::string name, int thread = 1);

  [[nodiscard]] long long hold_count();
  [[nodiscard]] bool is_locked();
};

}  // namespace holdfast::test
