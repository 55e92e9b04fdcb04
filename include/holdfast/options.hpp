// How one lock is taken and kept. Every field has a test that shows its effect (tests/redis/options_test.cpp).
//
//   auto lease = redis.acquire("invoice:42", {.ttl = 30s, .wait = 5s});
#pragma once

#include <holdfast/loss.hpp>
#include <holdfast/replica_count.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace holdfast {

// Pauses between the tries of a caller that does not queue: each is drawn at random between `first` and three times the
// one before, and never exceeds `most`. Drawing keeps equal callers from moving in step and starving one another.
struct backoff {
  std::chrono::milliseconds first{10};
  std::chrono::milliseconds most{250};
};

struct options {
  // The lease's length on the server: how long the lock outlives a holder that crashed. 100 ms to 365 days.
  std::chrono::milliseconds ttl{30'000};

  // How long to wait for a lock that is held. None: as long as it takes. To not wait at all, use the try_ calls.
  std::optional<std::chrono::milliseconds> wait{};

  // Keep the lease alive in the background, from ttl/3 on, for as long as it is held. Off: it ends after ttl unless
  // extend() is called.
  bool renew = true;

  // The lease ends this long after it was acquired, renewed or not; a stuck holder cannot keep the lock for ever.
  // Less than ttl: it is the ttl.
  std::optional<std::chrono::milliseconds> max_hold{};

  // The loss is signalled this long before the lease can end on the server: the time the holder needs to stop.
  // None: a tenth of ttl, at most 1 s. Less than half of ttl.
  std::optional<std::chrono::milliseconds> stop_margin{};

  // Put before the name to make the key. None: the client's.
  std::optional<std::string> prefix{};

  // Id of this acquisition, 1 to 256 bytes. Empty: `<host>:<pid>:<32 hex digits from the OS>`. Two calls with the same
  // owner and name are the same acquisition: the second succeeds while the first holds.
  std::string owner{};

  // Put before the name to make a list that a release pushes to when it frees the lock: what waiters of
  // python-redis-lock listen to. None: no list. presets.hpp sets it.
  std::optional<std::string> signal_prefix{};

  // Draw a fencing number. Off: fence() is 0 and the server does a little less.
  bool fence = true;

  // Wait in the server's queue: first come, first served, and a release hands over directly. Off: poll with `retry`.
  bool queue = true;
  backoff retry{};

  // The lock counts as taken only when so many replicas have it: a number, or `majority`. Too few: it is given back, and the
  // call ends with `not_replicated`. None: the client's setting, which is 0 unless set.
  std::optional<replica_count> replicas{};

  // Called once, on an internal thread and with no internal lock held, when the lease is lost. May call anything.
  std::function<void(const loss&)> on_lost{};

  // Ends the wait (not the lease) with `cancelled`.
  std::stop_token stop{};
};

}  // namespace holdfast
