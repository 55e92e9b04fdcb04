// One multiplexed connection to one Redis, kept up.
//
//            open             found             connected          greeted
//   IDLE ----------> FINDING ----------> OPENING --------> GREETING --------> READY
//    ^                   |                  |                  |    RESP2: then OPENING, GREETING of the inbox's link
//    |  nobody needs it  +------------------+------------------+---------------+
//    +------------------------- PAUSING <-------------- failed, broken, silent for command_timeout
//                           (back-off with jitter; the first try at once)
//
// submit() puts a request on the wire when READY and fewer than max_in_flight are out, and into the backlog otherwise:
// back-pressure, because whoever waits there waits in its own call. In other states requests wait for the connection;
// the impatient ones are refused when an attempt fails, the others after connect_timeout. Requests that use WATCH go one
// after the other (request::takes_turn).
//
// Guarded by the client's mutex. Somebody has to drive: fill() says what to poll for, service() reads and dispatches, and
// flush() writes. In READY that may be any one thread at a time (a lone caller drives itself); before, advance() takes the
// steps of an attempt, by the client's own thread only.
#pragma once

#include "net/dial.hpp"
#include "net/finder.hpp"
#include "net/handshake.hpp"
#include "net/link.hpp"
#include "net/request.hpp"
#include "net/side_requests.hpp"
#include "runtime/random.hpp"
#include "runtime/timer_queue.hpp"

#include <holdfast/settings.hpp>

#include <poll.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace holdfast::net {

class connection;

// What a connection tells its owner, always with the mutex held.
class connection_events {
 public:
  // To the inbox, or to the channel that is common to all clients.
  virtual void on_message(std::string_view payload, bool to_all, runtime::time_point now) = 0;
  // To the inbox that we have in one slot.
  virtual void on_shard_message(std::string_view payload, runtime::time_point now) { on_message(payload, false, now); }
  // The server has ended the subscription to such an inbox: the slot has moved.
  virtual void on_unsubscribed(connection& /*which*/, runtime::time_point /*now*/) {}
  // An error came as the answer to `what`. True: it was submitted anew, elsewhere or later, and is not to be told.
  virtual bool redirect(connection& /*from*/, request& /*what*/, std::string_view /*error*/,
                        runtime::time_point /*now*/) {
    return false;
  }
  // An attempt to connect has failed.
  virtual void on_failed(connection& /*which*/, const failure& /*why*/, runtime::time_point /*now*/) {}
  virtual void on_up(connection& which, runtime::time_point now) = 0;
  virtual void on_down(connection& which, runtime::time_point now) = 0;
  // Leases, waiters: reconnect even though nothing is submitted.
  virtual bool needs_connection(const connection& which) const = 0;
  virtual void wake_driver() = 0;  // what to poll for has changed

 protected:
  ~connection_events() = default;
};

class connection final : public carrier, private runtime::timer {
 public:
  // `identifies`: asks each new link's server which process it is (identity()).
  connection(const settings& how, std::unique_ptr<finder> finder, std::string inbox, std::string common,
             connection_events& owner, runtime::timer_queue& timers, runtime::random_source& random,
             std::function<void()> wake, bool identifies = false);
  ~connection();

  void open(runtime::time_point now);
  // Ends it for good. Everything submitted is refused with `why` or, if it was sent, interrupted.
  void close(const failure& why, runtime::time_point now);

  // Ends the link, and does without until something is submitted. What was on the wire is interrupted; what was not is left
  // to the caller.
  [[nodiscard]] std::vector<request*> rest(const failure& why, runtime::time_point now);

  void submit(request& what, runtime::time_point now);
  void abandon(request& what) noexcept override;
  void end_turn(const request& what, runtime::time_point now) override;

  [[nodiscard]] bool ready() const noexcept { return state_ == state::ready; }
  // Nothing is under way: nobody has needed it yet, or whoever did was told that it cannot be reached.
  [[nodiscard]] bool idle() const noexcept { return state_ == state::idle; }
  // Ready, or on the way to it and not known to fail.
  [[nodiscard]] bool hopeful() const noexcept;
  // More is unanswered than is good, and for longer than `limit`: what is added would only wait behind it.
  [[nodiscard]] bool laden(runtime::time_point now, runtime::duration limit) const noexcept;
  // Not connected, or something has been unanswered for longer than `limit`: it is silent for now.
  [[nodiscard]] bool overdue(runtime::time_point now, runtime::duration limit) const noexcept;
  // The process at the other end, when ready.
  [[nodiscard]] const server_identity& identity() const noexcept { return identity_; }
  // Whether grants can reach us; without, waiting has to poll.
  [[nodiscard]] bool has_inbox() const noexcept { return has_inbox_; }
  // Whether it has sharded channels, and we listen to them.
  [[nodiscard]] bool has_shard_inboxes() const noexcept { return sharded_; }
  // Whether we listen to this sharded channel, or are about to.
  [[nodiscard]] bool listens_to(std::string_view channel) const { return shards_.has(channel); }
  // In on_up: this is another server than the last time; what was written there may not have come here.
  [[nodiscard]] bool moved() const noexcept { return moved_; }
  // What it was told to connect to, whether or not it ever was.
  [[nodiscard]] const settings& how() const noexcept { return how_; }
  // Where it is ready, or was last.
  [[nodiscard]] const std::optional<endpoint>& place() const noexcept { return last_; }
  // The RESP version spoken, once ready.
  [[nodiscard]] int version() const noexcept { return version_; }
  // What `why`, the end of somebody's patience, comes down to: `protocol` if an answer has begun and does not go on.
  [[nodiscard]] failure silent(const failure& why) const { return main_ ? main_->silent(why) : why; }
  // Coming up, and there is something to poll for: advance() has to be called when it is there.
  [[nodiscard]] bool attempting() const noexcept { return state_ == state::opening || state_ == state::greeting; }
  // Whether answers are due, so that somebody must drive.
  [[nodiscard]] bool expects() const noexcept;
  [[nodiscard]] bool unsent() const noexcept { return main_ && ready() && main_->unsent() && !main_->blocked(); }
  [[nodiscard]] std::size_t in_flight() const noexcept { return main_ ? main_->in_flight() : 0; }

  // Appends what to poll for, one or two entries.
  void fill(std::vector<pollfd>& entries) const;
  // The next steps of an attempt to connect, if one is under way.
  void advance(std::unique_lock<std::mutex>& guard);
  void flush(std::unique_lock<std::mutex>& guard);
  // Reads and dispatches without poll(2), waiting for data for a moment. False: not possible on this link, or nothing came
  // for that long; then poll.
  bool service_waiting(std::unique_lock<std::mutex>& guard);
  // After poll(2): reads, dispatches, writes what was blocked. Entries of others are left alone.
  void service(std::unique_lock<std::mutex>& guard, std::span<const pollfd> entries);

 private:
  enum class state : unsigned char { idle, pausing, finding, opening, greeting, ready, closed };

  void fire(runtime::time_point now) override;
  void begin_attempt(runtime::time_point now);
  void leave(runtime::time_point now);
  void go_to(const found& place, runtime::time_point now);
  [[nodiscard]] bool not_primary(const resp::value& reply) const noexcept;
  void try_next_address(runtime::time_point now);
  void greet();
  void greeted(runtime::time_point now);
  void become_ready(runtime::time_point now);
  bool receive(std::unique_lock<std::mutex>& guard, const std::shared_ptr<link>& at, bool waiting);
  void dispatch(link& from, resp::value& reply, runtime::time_point now);
  void dispatch_message(const resp::value& message, runtime::time_point now);
  void attempt_failed(const failure& reason, runtime::time_point now);
  void fail(const failure& why, runtime::time_point now);
  void pause(runtime::time_point now);
  void refuse_backlog(const failure& why, runtime::time_point now, bool all);
  void drain_backlog(runtime::time_point now);
  void carry(request& what, runtime::time_point now);
  void listen(request& what, runtime::time_point now);
  void stop_turns();
  void forget_inboxes();
  void plan(runtime::time_point now);

  const settings& how_;
  const std::string inbox_;
  const std::string common_;
  connection_events& owner_;
  runtime::timer_queue& timers_;
  runtime::random_source& random_;
  const std::function<void()> wake_;  // callable from any thread: somebody should look at poll()'s world again

  state state_ = state::idle;
  const std::unique_ptr<finder> finder_;
  settings at_;  // how_, with the host that was found
  std::shared_ptr<const tls_context> tls_;
  std::optional<endpoint> last_;  // where it was ready last
  bool moved_ = false;
  bool called_away_ = false;  // since then
  std::vector<address> addresses_;
  std::size_t address_ = 0;
  std::unique_ptr<handshake> handshake_;
  std::shared_ptr<link> main_;
  std::shared_ptr<link> side_;  // RESP2's inbox link
  server_identity identity_;
  const bool identifies_;
  int version_ = 3;
  bool greeting_side_ = false;
  bool has_inbox_ = false;
  bool sharded_ = false;      // RESP3 in a Cluster from 7.0 on
  bool subscribing_ = false;  // RESP3: the first confirmation has not come yet
  std::int64_t id_ = 0;       // of the main link, as the server numbers it
  std::int64_t zombie_ = 0;   // an earlier one that may still have our commands in its pipes

  runtime::time_point attempt_limit_ = runtime::never;
  runtime::time_point retry_at_ = runtime::never;
  runtime::time_point down_since_{};
  runtime::time_point heard_{};  // last bytes from the server
  runtime::duration pause_{};
  bool ticking_ = false;
  bool carried_ = false;  // this link has brought an answer

  std::deque<request*> backlog_;
  const request* turn_ = nullptr;  // whose WATCH the link carries
  std::deque<request*> turns_;     // who is next
  probe ping_{"*1\r\n$4\r\nPING\r\n"};
  std::unique_ptr<probe> kill_;
  subscription subscribe_;
  shard_subscriptions shards_;
};

}  // namespace holdfast::net
