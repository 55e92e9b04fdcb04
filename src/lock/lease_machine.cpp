#include "lock/lease_machine.hpp"

#include <algorithm>

namespace holdfast::lock {

using runtime::duration;
using runtime::time_point;
using std::chrono::milliseconds;

namespace {

// A grant from the queue is only good for the claim window; its renewal, the claim, follows soon. Not at once: a short
// hold is over before, and then costs the server nothing more.
constexpr milliseconds claim_delay{200};

}  // namespace

lease_machine::lease_machine(const terms& how, const acquisition& got, time_point now)
    : ttl_{how.ttl},
      stop_margin_{how.stop_margin},
      since_{now},
      hold_end_{how.max_hold > duration{0} ? runtime::after(got.held.sent, how.max_hold) : runtime::never},
      renew_{how.renew} {
  accept(got.held);
  // A claim is owed even where renewal is off: the caller was promised a whole ttl.
  claim_owed_ = got.held.length < ttl_;
  if (claim_owed_) renew_at_ = std::min(renew_at_, now + std::min<duration>(claim_delay, got.held.length / 10));
}

void lease_machine::accept(const proof& fresh) noexcept {
  deadline_ = std::min(deadline_of(fresh, stop_margin_), hold_end_);
  renew_at_ = renew_ ? fresh.sent + fresh.length / 3 : runtime::never;
  overdue_at_ = renew_ ? fresh.sent + fresh.length * 2 / 3 : runtime::never;
  // Renewals are asked for in whole milliseconds, so the last one may end just before.
  proved_until_ = fresh.sent + fresh.length;
  capped_ = hold_end_ - proved_until_ <= milliseconds{1};
  if (capped_) renew_at_ = overdue_at_ = runtime::never;
  failing_ = false;
  if (doubted_ && fresh.sent >= doubted_at_) doubted_ = false;
  claim_owed_ = false;
}

lease_step lease_machine::timer(time_point now) {
  if (cause_) return lease_step::wait;
  if (now >= deadline_) {
    cause_ = capped_ || now >= hold_end_ ? loss_cause::max_hold : loss_cause::expired;
    return lease_step::lost;
  }
  if (now < renew_at_) return lease_step::wait;
  renew_at_ = runtime::never;  // until its answer, or its failure
  return lease_step::renew;
}

lease_step lease_machine::renewed(time_point now, const proof& fresh) {
  if (cause_) return lease_step::wait;
  if (now >= deadline_) return timer(now);  // too late: the loss may have been acted on already
  accept(fresh);
  if (doubted_) renew_at_ = now;  // the old server's word does not count
  return lease_step::wait;
}

lease_step lease_machine::disproved(loss_cause cause) {
  if (cause_) return lease_step::wait;
  const bool by_failover = doubted_ && (cause == loss_cause::gone || cause == loss_cause::taken);
  cause_ = by_failover ? loss_cause::failover : cause;
  return lease_step::lost;
}

void lease_machine::renewal_failed(time_point now) {
  failing_ = true;
  renew_at_ = now + std::clamp<duration>(ttl_ / 30, milliseconds{5}, milliseconds{500});
}

void lease_machine::extending(time_point now, duration ttl) {
  ttl_ = ttl;
  stop_margin_ = std::min(stop_margin_, ttl / 3);  // a shorter ttl leaves less time to stop in
  deadline_ = std::min(deadline_, deadline_of({now, ttl}, stop_margin_));
  if (renew_at_ != runtime::never) renew_at_ = std::min(renew_at_, now + ttl / 3);
}

void lease_machine::verify_soon(time_point now) {
  if (renew_ && renew_at_ != runtime::never) renew_at_ = std::min(renew_at_, now);
}

void lease_machine::doubt(time_point now) {
  doubted_ = true;
  doubted_at_ = now;
  renew_at_ = now;
}

time_point lease_machine::wake_at() const noexcept { return cause_ ? runtime::never : std::min(renew_at_, deadline_); }

lease_state lease_machine::state(time_point now) const noexcept {
  if (cause_ || now >= deadline_) return lease_state::LOST;
  if (failing_ || doubted_ || now >= overdue_at_) return lease_state::JEOPARDY;
  return lease_state::VALID;
}

duration lease_machine::renewal_length(time_point now) const noexcept {
  if (doubted_ && !renew_ && !claim_owed_) return std::max<duration>(proved_until_ - now, milliseconds{1});
  const duration left = hold_end_ - now;
  return left < ttl_ ? std::max<duration>(left, milliseconds{1}) : ttl_;
}

}  // namespace holdfast::lock
