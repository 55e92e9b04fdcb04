// Redisson's RReadWriteLock as Java does it, step by step, over plain connections: the other side of the tests of
// redisson_shared_mutex. Written from the description of its layout (docs/wire.md); no Java runs here.
//
//   redisson_read_write_lock java{server, "door"};     // one thread of one Java process: its owner is <uuid>:<thread>
//   if (!java.read.try_lock(30s)) ...
//
// Thread safety: none, one thread at a time per object.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

// One of the two locks that getReadWriteLock() has.
class redisson_half {
 public:
  redisson_half(const redis_server& server, std::string name, std::string owner, bool writes);

  // One run of its acquire step. Nothing: acquired (or entered again). Else what the holders have left.
  std::optional<std::chrono::milliseconds> acquire(std::chrono::milliseconds lease);
  [[nodiscard]] bool try_lock(std::chrono::milliseconds lease) { return !acquire(lease); }
  // As lock() does: subscribe, then try at each message, and when the holder's time is over. False: the limit passed.
  [[nodiscard]] bool lock(std::chrono::milliseconds lease, std::chrono::milliseconds limit);
  // Nothing: not mine (Java throws). False: somebody is still inside. True: released.
  std::optional<bool> unlock();
  [[nodiscard]] bool renew(std::chrono::milliseconds lease);

  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] int woken() const { return woken_; }  // by messages, in lock()

 private:
  const redis_server& server_;
  redis_connection redis_;
  std::string name_;
  std::string stem_;
  std::string channel_;
  std::string owner_;
  bool writes_;
  int woken_ = 0;
};

struct redisson_read_write_lock {
  redisson_read_write_lock(const redis_server& server, const std::string& name, int thread = 1);
  redisson_half read;
  redisson_half write;
};

}  // namespace holdfast::test
