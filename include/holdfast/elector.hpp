// Leader election: of all candidates for a name one leads at a time, under a term number that only grows.
//
//   holdfast::elector seat{redis, "scheduler", {.id = "http://10.0.0.7:8080"}};
//   seat.run(stop, [](std::uint64_t term, std::stop_token over) { while (!over.stop_requested()) schedule(term); });
//
//   state      means                                         leaves it by
//   candidate  waits in the queue of the lock                its turn -> leader; stop -> idle
//   leader     holds the lock; `over` is not requested       loss, resign(), stop, the end of the work -> deposed
//   deposed    `over` is requested; the work has to end      it has ended -> candidate again; after stop -> idle
//   idle       neither                                       run(), start()
//
// The term is the fence of the lock: whatever the leader changes can refuse smaller ones. `over` is requested stop_margin
// before the server can let the next leader in, whatever the network does; work that ends within the margin never overlaps.
// A leader that crashes is followed after its ttl, one that resigns or ends at once. After a loss the elector is a candidate
// again, at the end of the queue. The lock is that of a `mutex` of the same name, so list, status and break work on it.
//
// Who leads, anybody can see (leader_of), and hear without asking again and again (leader_watch): leaders announce
// themselves to all clients, and a slow timer looks in case a message is lost.
//
// Thread safety: all functions from any thread; run() and start() only one at a time. The client must outlive these objects.
#pragma once

#include <holdfast/client.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace holdfast {

enum class deposition : unsigned char {
  lost,      // the lease: no contact with Redis in time, or somebody took or broke the lock
  resigned,  // resign()
  stopped,   // stop(), the destructor, the stop_token of run()
};
[[nodiscard]] std::string_view to_string(deposition why) noexcept;

struct elector_options {
  // What observers are told: an address, a name. At most 1024 bytes. Empty: only the owner's text, <host>:<pid>:….
  std::string id{};

  // How long a leader that crashed is missed. 100 ms to 365 days; on a quorum at most its max_ttl.
  std::chrono::milliseconds ttl{5'000};

  // The time the work needs to end. None: a tenth of ttl, at most 1 s.
  std::optional<std::chrono::milliseconds> stop_margin{};

  // For start(): called on the elector's own thread. Leading goes on when `elected` returns, until `over`. An exception
  // from it resigns.
  std::function<void(std::uint64_t term, std::stop_token over)> elected{};
  std::function<void(std::uint64_t term, deposition why)> deposed{};
};

class elector {
 public:
  // Throws `error` (bad_name, bad_option).
  elector(client& redis, std::string_view name, elector_options how = {});
  ~elector();  // stop()
  elector(const elector&) = delete;
  elector& operator=(const elector&) = delete;

  // Blocks until `stop`: campaigns, leads by calling `lead` on this thread, campaigns again. When `lead` returns, the
  // leadership is given up. Throws what `lead` throws, having given up; and `error` for what waiting does not mend (refused,
  // wrong_type, forked, the client's end).
  void run(const std::stop_token& stop, const std::function<void(std::uint64_t term, std::stop_token over)>& lead);

  // The lease form: one campaign, to the election and its announcement. Whoever has the lease leads: its fence is the term,
  // its lost() is `over`, release() gives the leadership up. Unlike run() it tells every failure, and may be called again:
  // timed_out, cancelled, unreachable, … A wait that is not positive tries once: `held`. resign(), leads() and term() do not know of it.
  [[nodiscard]] lease campaign(const std::stop_token& stop = {}, std::optional<std::chrono::milliseconds> wait = {});
  result<lease> campaign(std::nothrow_t, const std::stop_token& stop = {},
                         std::optional<std::chrono::milliseconds> wait = {}) noexcept;

  // run() with the callbacks of the options, on a thread of its own.
  void start();
  // Ends start(): gives up the leadership and waits until the callbacks have returned. Not from a callback.
  void stop() noexcept;

  // Requests `over` if this one leads; the next candidate follows when the work has ended.
  void resign() noexcept;

  [[nodiscard]] bool leads() const noexcept;
  [[nodiscard]] std::uint64_t term() const noexcept;  // the current one, or the last; 0 before the first

 private:
  struct state;
  std::unique_ptr<state> state_;
};

struct leader {
  std::string id;
  std::string owner;
  std::uint64_t term = 0;
  std::chrono::milliseconds remaining{};  // of its lease, when looked at
};

// Who leads now, if anybody does.
result<std::optional<leader>> leader_of(client& redis, std::string_view name) noexcept;

// Calls `changed` with the leader, or without one, at the start and whenever that changes; on a thread of its own. A change is
// seen by message, at once; a crash when the leader's lease ends; and what a lost message hid after 5 s. Must not be
// destroyed from `changed`.
class leader_watch {
 public:
  using callback = std::function<void(const std::optional<leader>&)>;
  // Throws `error` (bad_name).
  leader_watch(client& redis, std::string_view name, callback changed);
  ~leader_watch();
  leader_watch(const leader_watch&) = delete;
  leader_watch& operator=(const leader_watch&) = delete;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace holdfast
