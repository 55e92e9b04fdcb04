// What ended calls mean for a lease: shared by the blocking and the coroutine forms.
#pragma once

#include "client/held_lease.hpp"
#include "client/plain_call.hpp"
#include "client/release_call.hpp"

namespace holdfast::detail {

inline failure no_lease() { return {errc::lost, "there is no lease: nothing was acquired, or it was moved away"}; }

inline failure is_lost(const held_lease& held) {
  return {errc::lost, "the lease of " + std::string{held.name()} + " is over (" +
                          std::string{to_string(held.what_happened().cause)} + "); acquire the lock again"};
}

// The server did not say how the release went, or said "not mine" to a repetition: the first sending may have done it.
inline release_outcome judge(const release_call& done) {
  if (!done.outcome()) return release_outcome::unknown;
  if (*done.outcome() != lock::release_reply::not_mine) return release_outcome::released;
  return done.repeated() ? release_outcome::unknown : release_outcome::was_lost;
}

// Tells the lease what the server answered to its extension. With the guard held.
inline result<void> apply_extend(held_lease& held, const extend_call& done) {
  if (done.problem()) return *done.problem();
  switch (done.reply()) {
    case lock::renew_reply::kept:
      held.extended({done.sent_at(), done.asked()}, runtime::boot_clock::now());
      break;
    case lock::renew_reply::gone:
      held.disproved(loss_cause::gone);
      break;
    case lock::renew_reply::taken:
      held.disproved(loss_cause::taken);
      break;
  }
  if (held.stopped()) return is_lost(held);
  return {};
}

}  // namespace holdfast::detail
