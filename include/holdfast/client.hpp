// A process's connection to one Redis. Start here.
//
//   holdfast::client redis{"redis://127.0.0.1:6379"};       // none given: a private Redis is started for this user
//   auto lease = redis.acquire("invoice:42", {.wait = 5s}); // throws holdfast::error
//
// One client per process is enough: all its callers share one multiplexed connection. A lone caller writes and reads
// the socket itself (no thread hop); concurrent callers share writes. One internal thread renews leases, runs timers,
// reconnects, and serves the coroutine forms.
//
// Thread safety: everything may be called from any number of threads. Destroying the client while calls are in flight is
// safe: they end with `cancelled`. Leases may outlive the client; they are then lost (cause `closed`) and not renewed.
// Fork: the child must make its own client. Using the parent's gives `forked`; destructors in the child do nothing, so
// the parent keeps what it holds.
#pragma once

#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>
#include <holdfast/result.hpp>
#include <holdfast/settings.hpp>
#include <holdfast/stats.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

namespace holdfast {

namespace detail {
class core;
}

// What a call-level acquire got.
struct grant {
  std::uint64_t fence = 0;
  std::chrono::nanoseconds validity{};  // conservative time left when the call returned
};

class client {
 public:
  // Settings from file and environment (settings::load); `url`, if given, says where. Throws `error` for bad settings;
  // does not wait for the connection: the first call does.
  client();
  explicit client(std::string_view url);
  explicit client(settings where);
  ~client();
  client(client&&) noexcept;
  client& operator=(client&&) noexcept;

  // Waits for the lock: options::wait at most. Throws `error` (timed_out, cancelled, unreachable, …).
  [[nodiscard]] lease acquire(std::string_view name, const options& how = {});
  result<lease> acquire(std::nothrow_t, std::string_view name, const options& how = {}) noexcept;

  // Does not wait: `held` names the holder and the time left. options::wait must not be set.
  result<lease> try_acquire(std::string_view name, const options& how = {}) noexcept;

  // Call level: no lease, no renewal, no prefix; the caller keeps the owner id and may use it from another process.
  result<grant> try_acquire(std::string_view key, std::string_view owner, std::chrono::milliseconds ttl) noexcept;
  // `not_owner` if the key is gone or held under another id.
  result<void> extend(std::string_view key, std::string_view owner, std::chrono::milliseconds ttl) noexcept;
  result<void> release(std::string_view key, std::string_view owner) noexcept;

  // One PING: returns the round trip.
  result<std::chrono::nanoseconds> ping() noexcept;

  [[nodiscard]] holdfast::stats stats() const;
  [[nodiscard]] const settings& where() const noexcept;

 private:
  friend class mutex;
  friend struct detail::lease_access;
  std::shared_ptr<detail::core> core_;
};

}  // namespace holdfast
