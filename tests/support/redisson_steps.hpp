// What Redisson's locks have in common as Java does them: an owner per thread, three steps that are scripts, and a channel on
// which releases are told. The locks themselves: redisson.hpp, redisson_read_write.hpp.
//
// Thread safety: none, one thread at a time per object.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

// KEYS: lock, channel. ARGV: lease, owner, the lock's name in braces (what the names of further keys begin with).
struct redisson_steps {
  const char* acquire;   // nil, or what the holder has left
  const char* release;   // nil, 0 or 1, see unlock()
  const char* renew;     // 1, or 0
  const char* channel;   // its name but for the lock's in braces
  const char* payloads;  // the digits that may be published there; Java's decoder takes a number and nothing else
};

class redisson_locking {
 public:
  // By one thread of one Java process: its owner is <uuid>:<thread>.
  redisson_locking(const redis_server& server, std::string name, int thread, const redisson_steps& steps);

  // One run of its acquire step. Nothing: acquired (or entered again). Else what the holders have left.
  std::optional<std::chrono::milliseconds> acquire(std::chrono::milliseconds lease);
  [[nodiscard]] bool try_lock(std::chrono::milliseconds lease) { return !acquire(lease); }
  // As lock() does: subscribe, then try at each message, and when the holder's time is over. False: the limit passed.
  [[nodiscard]] bool lock(std::chrono::milliseconds lease, std::chrono::milliseconds limit);
  // Nothing: not mine (Java throws). False: still held, by me or by others. True: released.
  std::optional<bool> unlock();
  [[nodiscard]] bool renew(std::chrono::milliseconds lease);

  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] int woken() const { return woken_; }  // by messages, in lock()

 protected:
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] redis_connection& redis() { return redis_; }

 private:
  reply run(const char* step, std::chrono::milliseconds lease);

  const redis_server& server_;
  redis_connection redis_;
  redisson_steps steps_;
  std::string name_;
  std::string stem_;
  std::string channel_;
  std::string owner_;
  int woken_ = 0;
};

}  // namespace holdfast::test
