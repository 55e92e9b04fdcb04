// What the nodes of a quorum run in place of the scripts of one primitive.
//
// The scripts of a flavour and those of its voting take the same arguments beyond the common ones (flavour::extra), at their end.
// The answers of all votings have one grammar (quorum_replies.hpp), so one ballot of each kind serves every primitive.
#pragma once

#include "lock/flavour.hpp"
#include "scripts/sources.hpp"

#include <array>

namespace holdfast::lock {

struct voting {
  // Of the flavour: what was asked for.
  const scripts::script* asked_acquire;
  const scripts::script* asked_renew;
  const scripts::script* asked_release;
  // What each node is asked instead; note: quorum_fence.lua, for what is held in this way.
  const scripts::script* acquire;
  const scripts::script* renew;
  const scripts::script* release;
  const scripts::script* note;
};

inline const std::array votings{
    voting{&scripts::acquire, &scripts::renew, &scripts::release, &scripts::quorum_acquire, &scripts::quorum_renew,
           &scripts::quorum_release, &scripts::quorum_fence},
    // Waiting at a latch or a barrier: nothing is held afterwards, so there is nothing to renew (client/meet_ballot.hpp).
    voting{&scripts::meet_wait, nullptr, &scripts::meet_leave, &scripts::quorum_meet_wait, nullptr,
           &scripts::meet_leave, nullptr},
};

// The one that a script belongs to, the first of them if there are several; null: it cannot be put to the vote.
inline const voting* voting_on(const scripts::script& asked) noexcept {
  for (const voting& each : votings) {
    if (&asked == each.asked_acquire || &asked == each.asked_renew || &asked == each.asked_release) return &each;
  }
  return nullptr;
}

// Whether all that is ever asked for a flavour can be.
inline bool can_be_voted_on(const flavour& what) noexcept {
  return voting_on(*what.acquire) != nullptr && voting_on(*what.renew) != nullptr &&
         voting_on(*what.release) != nullptr;
}

}  // namespace holdfast::lock
