// The client behind holdfast::client: one mutex, its nodes, one thread, and everything that is under way.
//
// Who drives. Somebody has to poll the socket while answers or grants are due. A blocking caller that finds nobody driving
// does it itself: it writes, polls, reads, dispatches (also what belongs to others) until its own call is finished. So a
// lone caller pays no thread hop, and a waiter is woken by the kernel straight from the server's message. When it leaves
// and others are still waiting, the client's own thread takes over; callers that come while somebody drives append their
// command, flush it, and park.
//
//   driver_  nobody   nothing is due; the thread watches the socket once the callers have been quiet for a moment
//            caller   one blocking caller is in drive()
//            thread   the client's thread is in run()
//
// The thread also fires all timers (renewals, deadlines, heartbeats, time limits), connects, and runs completions of the
// coroutine forms. Users' loss callbacks run on a further thread of their own.
//
// Thread safety: public functions take a locked guard where they say so; everything else is guarded by `mutex()`. Nothing
// of a user's is called with the mutex held: it is put into `later` and run after unlocking.
#pragma once

#include "client/call.hpp"
#include "client/deferred.hpp"
#include "client/known_scripts.hpp"
#include "runtime/callback_thread.hpp"
#include "runtime/clock.hpp"
#include "runtime/descriptors.hpp"
#include "runtime/random.hpp"
#include "runtime/timer_queue.hpp"
#include "topology/nodes.hpp"

#include <holdfast/settings.hpp>
#include <holdfast/stats.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace holdfast::detail {

class acquire_call;
class answers;
class deployment_check;
class held_lease;
class question;
class watcher;

using guard_type = std::unique_lock<std::mutex>;

class core final : public std::enable_shared_from_this<core>, private topology::node_events {
 public:
  // Starts the thread. `close` must be called before the last reference goes.
  static std::shared_ptr<core> make(settings how);
  ~core();

  // Ends everything: calls with `cancelled`, leases with `closed`. Releases on their way are given a moment.
  void close() noexcept;

  // This client was made by the parent process: nothing of it may be touched.
  [[nodiscard]] bool is_foreign() const noexcept;
  static failure foreign();

  [[nodiscard]] guard_type lock() { return guard_type{mutex_}; }
  [[nodiscard]] const settings& where() const noexcept { return how_; }
  [[nodiscard]] const std::string& inbox() const noexcept { return inbox_; }

  // ---- with the guard held
  topology::nodes& nodes() noexcept { return nodes_; }
  [[nodiscard]] const topology::nodes& nodes() const noexcept { return nodes_; }
  runtime::timer_queue& timers() noexcept { return timers_; }
  // The time limits of votes on a quorum. Short, and nearly always cancelled: whoever drives looks at them, so that the
  // thread need not be woken for each.
  runtime::timer_queue& rounds() noexcept { return rounds_; }
  runtime::random_source& random() noexcept { return random_; }
  // Of a quorum's nodes.
  known_scripts& known() noexcept { return known_; }
  holdfast::stats& counters() noexcept { return stats_; }
  [[nodiscard]] bool closing() const noexcept { return closing_; }
  [[nodiscard]] std::string make_owner();
  // Whether this client made that owner, so that nobody else can know it.
  [[nodiscard]] bool made(std::string_view owner) const noexcept { return owner.starts_with(owner_start_); }
  // The least fence that a quorum's nodes should draw next, by what was seen.
  [[nodiscard]] std::uint64_t fence_hint() const noexcept { return fence_hint_; }
  void saw_fence(std::uint64_t number) noexcept { fence_hint_ = std::max(fence_hint_, number + 1); }

  // Blocks until the call is finished; sends what it submitted.
  void wait(guard_type& guard, call& what);
  // For calls that nobody waits for: has the thread send what was submitted.
  void nudge();
  // A call ended: its thread is woken once the guard is let go.
  void finish(call& what);
  void complete_later(std::shared_ptr<deferred> completion) { completions_.push_back(std::move(completion)); }
  // Runs on the callback thread.
  void call_user(std::function<void()> what) { callbacks_.run(std::move(what)); }
  // Before letting go of the guard after anything but wait(): wakes whoever has to be woken.
  void settle(guard_type& guard);

  [[nodiscard]] std::uint64_t next_number() noexcept { return ++numbers_; }
  // The first of so many in a row.
  [[nodiscard]] std::uint64_t reserve_numbers(std::size_t count) noexcept {
    numbers_ += count;
    return numbers_ - count + 1;
  }

  // Every acquire under way, and those in the queue by their number (for their grants).
  void enlist(acquire_call& what);
  void delist(acquire_call& what) noexcept;
  void expect_grant(acquire_call& what);
  void enlist(held_lease& what);
  void delist(held_lease& what) noexcept;
  void enlist(question& what);
  void delist(question& what) noexcept;
  void enlist(watcher& what) { watchers_.push_back(&what); }
  void delist(watcher& what) noexcept { std::erase(watchers_, &what); }
  // Null: not held here.
  [[nodiscard]] held_lease* find_lease(std::string_view key, std::string_view owner) const noexcept;
  void count_detached(int change) noexcept { detached_ += change; }

 private:
  core(settings how, std::string inbox);

  void on_message(std::string_view payload, bool to_all, runtime::time_point now) override;
  void on_up(net::connection& which, runtime::time_point now) override;
  void on_down(net::connection& which, runtime::time_point now) override;
  void on_moved(const std::function<bool(std::string_view)>& concerned, runtime::time_point now) override;
  bool needs_connection(const net::connection& which) const override;
  void wake_driver() override;

  void run();
  void drive(guard_type& guard, call& what);
  void take_over() noexcept;
  void fire_timers(runtime::time_point now);
  void fire_rounds(runtime::time_point now);
  void run_completions(guard_type& guard);
  void wake_finished(guard_type& guard);
  [[nodiscard]] bool needs_driver() const noexcept;

  enum class driver : unsigned char { nobody, caller, thread };

  const settings how_;
  const std::string inbox_;
  const std::uint32_t generation_;

  mutable std::mutex mutex_;
  runtime::wake_signal thread_wake_;
  runtime::wake_signal driver_wake_;
  runtime::alarm_clock alarm_;
  runtime::timer_queue timers_;
  runtime::timer_queue rounds_;
  runtime::random_source random_;
  topology::nodes nodes_;
  std::unique_ptr<deployment_check> check_;
  std::unique_ptr<answers> answers_;
  known_scripts known_;
  holdfast::stats stats_;
  std::string owner_start_;  // "<host>:<pid>:<inbox>"

  driver driver_ = driver::nobody;
  std::thread::id driver_thread_;  // of the caller that drives
  bool driver_polls_ = false;      // it waits, and must be woken if its call ends otherwise
  bool thread_polls_ = false;
  runtime::time_point thread_sleeps_until_{};
  runtime::time_point driver_sleeps_until_{};
  std::vector<pollfd> driver_polled_;  // kept for their capacity
  std::vector<pollfd> thread_polled_;
  std::uint64_t drives_ = 0;  // how often a caller drove: shows the thread whether it is quiet
  bool closing_ = false;
  int detached_ = 0;  // releases nobody waits for

  std::vector<runtime::parking*> finished_;
  std::vector<std::shared_ptr<deferred>> completions_;
  std::unordered_map<std::uint64_t, acquire_call*> queued_;
  std::uint64_t numbers_ = 0;
  std::uint64_t fence_hint_ = 0;
  acquire_call* calls_ = nullptr;  // intrusive lists
  held_lease* leases_ = nullptr;
  std::vector<question*> questions_;
  std::vector<watcher*> watchers_;

  runtime::callback_thread callbacks_;
  std::unique_ptr<std::thread> thread_;
};

}  // namespace holdfast::detail
