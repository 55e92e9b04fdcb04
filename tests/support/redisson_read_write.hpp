// Redisson's RReadWriteLock as Java does it, step by step, over plain connections: the other side of the tests of
// redisson_shared_mutex. Written from the description of its layout (docs/wire.md); no Java runs here.
//
//   redisson_read_write_lock java{server, "door"};     // one thread of one Java process: its owner is <uuid>:<thread>
//   if (!java.read.try_lock(30s)) ...
//
// Thread safety: none, one thread at a time per object.
#pragma once

#include <string>

#include "support/redisson_steps.hpp"

namespace holdfast::test {

// The two locks that getReadWriteLock() has.
struct redisson_read_write_lock {
  redisson_read_write_lock(const redis_server& server, const std::string& name, int thread = 1);
  redisson_locking read;
  redisson_locking write;
};

}  // namespace holdfast::test
