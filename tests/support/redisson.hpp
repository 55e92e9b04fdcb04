// Redisson's RLock as Java does it, step by step, over plain connections: the other side of the tests of recursive_mutex.
// Written from the description of its layout (docs/wire.md); no Java runs here.
//
//   redisson_lock java{server, "door"};       // one thread of one Java process: its owner is <uuid>:<thread>
//   if (!java.try_lock(30s)) ...              // how long the holder has, as Java learns it
//
// Thread safety: none, one thread at a time per object.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

class redisson_lock {
 public:
  redisson_lock(const redis_server& server, std::string name, int thread = 1);

  // One run of its acquire step. Nothing: acquired (or entered again). Else what the holder has left.
  std::optional<std::chrono::milliseconds> acquire(std::chrono::milliseconds lease);
  [[nodiscard]] bool try_lock(std::chrono::milliseconds lease) { return !acquire(lease); }
  // As lock() does: subscribe, then try at each message, and when the holder's time is over. False: the limit passed.
  [[nodiscard]] bool lock(std::chrono::milliseconds lease, std::chrono::milliseconds limit);
  // Nothing: not mine (Java throws). False: still held, one less. True: released, and `0` published.
  std::optional<bool> unlock();
  [[nodiscard]] bool renew(std::chrono::milliseconds lease);
  [[nodiscard]] long long hold_count();
  [[nodiscard]] bool is_locked();

  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] int woken() const { return woken_; }  // by messages, in lock()

 private:
  const redis_server& server_;
  redis_connection redis_;
  std::string name_;
  std::string channel_;
  std::string owner_;
  int woken_ = 0;
};

}  // namespace holdfast::test
