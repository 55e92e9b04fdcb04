// How a lock is acquired, decided without I/O: events and the time go in, the next step comes out.
//
//            start                 held, may wait             granted by push, timer or answer
//   (new) ----------> ASKING ---------------------> QUEUED -------------------------------------> DONE
//                     ^  |  |                        | |
//                     |  |  | held, no queue         | | heartbeat due, ticket unknown, link back
//                     |  |  +--------> PAUSING ------+ |
//                     |  |            (back-off)  |    |
//                     +--|------------------------+----+
//                        +--> DONE  granted, refused, limit passed, cancelled
//
// - ASKING: the acquire script is on its way or waits for a connection. A broken link asks again under the same owner:
//   the script is idempotent, so a lost answer never locks us out of our own lock (D11).
// - QUEUED: the server told our ticket and the holder's remaining time. A push with the same ticket ends the wait. Push
//   messages can be lost, so a timer looks anyway: every third of the claim window, at the holder's expiry, and often
//   when the holder does not seem to be one of ours and therefore hands nothing over.
// - A grant by push cannot be older than the last answer that said "queued", and that answer cannot be older than its
//   request. So the lease counts from when that request was sent, and the holder may start without another round trip.
//   If little would be left of the claim window, or the ticket is another one, it asks instead.
// - A dismissal takes a waiter off the queue without the lock, because whoever had it has done the work for all (cache).
//   It is a hint as well: who misses it is granted the lock in turn, and finds the work done.
// - DONE without the lock: leave() says whether the server may still know us, in the queue or as the owner; then a
//   compensating release must follow (D22).
#pragma once

#include "lock/checked_options.hpp"
#include "lock/proof.hpp"
#include "lock/replies.hpp"
#include "runtime/clock.hpp"
#include "runtime/random.hpp"

#include <holdfast/error.hpp>

#include <optional>
#include <string>

namespace holdfast::lock {

enum class acquire_step : unsigned char { wait, ask, done };

class acquire_machine {
 public:
  // `patience`: how long one command may stay unanswered (settings::command_timeout).
  acquire_machine(const terms& how, runtime::duration patience, runtime::random_source& random)
      : terms_{how}, patience_{patience}, random_{&random} {}

  acquire_step start(runtime::time_point now);
  acquire_step answered(runtime::time_point now, runtime::time_point sent, const acquire_reply& reply);
  acquire_step refused(runtime::time_point now, const failure& why);  // the server or the connection says no
  // … and whoever carries the request knows whether it may pass.
  acquire_step refused(runtime::time_point now, const failure& why, bool passes);
  acquire_step interrupted(runtime::time_point now, delivery sent);  // the link broke under the request
  acquire_step pushed(runtime::time_point now, std::uint64_t ticket);
  // What we wait for has been done: `held`. `queued`: we may stand in a queue all the same.
  acquire_step dismissed(runtime::time_point now, std::uint64_t ticket, bool queued = false);
  acquire_step reconnected(runtime::time_point now);
  acquire_step timer(runtime::time_point now);
  acquire_step cancel(const failure& why);
  // After `done` with the lock: what its replicas said. Confirmed with a fresh proof; or not, and if that may pass, whoever
  // waits asks again, which is granted at once should the lock still be ours; or given up.
  void confirmed(const proof& fresh) noexcept { won_->held = fresh; }
  acquire_step unconfirmed(runtime::time_point now, const failure& why, bool passes);
  void forfeit(failure why);

  [[nodiscard]] runtime::time_point wake_at() const noexcept;
  [[nodiscard]] runtime::time_point limit() const noexcept { return limit_; }
  [[nodiscard]] bool asking() const noexcept { return state_ == state::asking; }
  [[nodiscard]] bool queued() const noexcept { return state_ == state::queued; }
  [[nodiscard]] bool contended() const noexcept { return contended_; }
  [[nodiscard]] runtime::time_point started() const noexcept { return started_; }

  // After `done`: one of the two.
  [[nodiscard]] const std::optional<acquisition>& won() const noexcept { return won_; }
  [[nodiscard]] const failure& lost() const noexcept { return lost_; }
  [[nodiscard]] bool leave() const noexcept { return !won_ && known_to_server_; }

  // Who was in the way when the server was last asked.
  [[nodiscard]] const std::string& holder() const noexcept { return holder_; }

  // What a granted waiter has to claim in: at most the claim window, less for a shorter ttl.
  static runtime::duration claim(runtime::duration ttl) noexcept;

 private:
  enum class state : unsigned char { fresh, asking, queued, pausing, done };

  acquire_step ask(runtime::time_point now);
  acquire_step finish(const acquisition& got);
  acquire_step finish(failure why);
  acquire_step pause(runtime::time_point now);
  acquire_step give_up(runtime::time_point now);
  void plan_look(runtime::time_point now, const acquire_reply& reply);

  terms terms_;
  runtime::duration patience_;
  runtime::random_source* random_;

  state state_ = state::fresh;
  runtime::time_point started_{};
  runtime::time_point limit_ = runtime::never;
  runtime::time_point asked_{};
  runtime::time_point look_ = runtime::never;  // next look, in QUEUED and PAUSING
  runtime::duration pause_{};

  bool contended_ = false;
  bool answered_ = false;
  bool known_to_server_ = false;
  bool looked_by_timer_ = false;  // the ask under way was the timer's idea
  std::uint64_t ticket_ = 0;      // 0: not known
  runtime::time_point queued_sent_{};
  std::string holder_;
  std::chrono::milliseconds holds_{-1};
  std::optional<failure> passing_;  // the last passing refusal, told if the limit ends the wait

  std::optional<acquisition> won_;
  failure lost_{};
};

}  // namespace holdfast::lock
