// How a lease is kept, decided without I/O.
//
//   proof (sent, length) --------------- deadline ---------- server's expiry
//     |<-- renew from length/3 on -->|      |<- stop margin + drift ->|
//
// The deadline counts from when the proving request was SENT, so it comes before the server's expiry whatever the
// network did with the answer. Renewal starts at a third of the length and is tried again inside the window until an
// answer comes or the deadline does (one dropped connection is not a loss: D7). Proof of loss (the key is gone or
// another's) ends the lease at once; silence ends it at the deadline.
//
// Once another server may have taken over (a failover, a slot that moved), what the old one proved does not count for
// certain: the lease is in JEOPARDY until a renewal has been answered that was sent since. Leases that are not renewed are
// verified too, by one that asks for no more than they had.
#pragma once

#include "lock/checked_options.hpp"
#include "lock/proof.hpp"
#include "runtime/clock.hpp"

#include <holdfast/lease.hpp>
#include <holdfast/loss.hpp>

#include <optional>

namespace holdfast::lock {

enum class lease_step : unsigned char { wait, renew, lost };

class lease_machine {
 public:
  lease_machine(const terms& how, const acquisition& got, runtime::time_point now);

  lease_step timer(runtime::time_point now);
  lease_step renewed(runtime::time_point now, const proof& fresh);
  lease_step disproved(loss_cause cause);        // the server said that it is not ours, or the client closes
  void renewal_failed(runtime::time_point now);  // refused or unanswered: try again soon
  // A request that sets the expiry to `ttl` is about to be sent. It may run although its answer never comes, so the
  // deadline must not be later than what it leaves; and renewals that follow it ask for the same.
  void extending(runtime::time_point now, runtime::duration ttl);
  void verify_soon(runtime::time_point now);  // after a reconnect: the server may have forgotten us
  void doubt(runtime::time_point now);        // another server has the lock now, or should have

  [[nodiscard]] runtime::time_point wake_at() const noexcept;
  [[nodiscard]] lease_state state(runtime::time_point now) const noexcept;
  [[nodiscard]] runtime::time_point deadline() const noexcept { return deadline_; }
  [[nodiscard]] runtime::time_point since() const noexcept { return since_; }
  [[nodiscard]] std::optional<loss_cause> cause() const noexcept { return cause_; }
  [[nodiscard]] runtime::duration ttl() const noexcept { return ttl_; }
  [[nodiscard]] runtime::duration stop_margin() const noexcept { return stop_margin_; }

  // What the next renewal asks for: the ttl, or less where max_hold ends before it.
  [[nodiscard]] runtime::duration renewal_length(runtime::time_point now) const noexcept;

 private:
  void accept(const proof& fresh) noexcept;

  runtime::duration ttl_;
  runtime::duration stop_margin_;
  runtime::time_point since_;
  runtime::time_point hold_end_;
  runtime::time_point deadline_{};
  runtime::time_point proved_until_{};  // the end of the last proof, without margins
  runtime::time_point renew_at_ = runtime::never;
  runtime::time_point overdue_at_ = runtime::never;  // from here on the missing renewal is JEOPARDY
  std::optional<loss_cause> cause_;
  runtime::time_point doubted_at_{};  // if doubted_
  bool doubted_ = false;              // another server may have it, and no answer that counts has come since
  bool renew_;
  bool failing_ = false;
  bool claim_owed_ = false;  // it is ours for the claim window only
  bool capped_ = false;      // the proof reaches to the end of max_hold: no renewal can prolong it
};

}  // namespace holdfast::lock
