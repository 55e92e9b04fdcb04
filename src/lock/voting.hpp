// What the nodes of a quorum run in place of the scripts of one primitive.
//
// The scripts of a flavour and those of its voting take the same arguments beyond the common ones (flavour::extra), at their end.
// The answers of all votings have one grammar (quorum_replies.hpp), so one ballot of each kind serves every primitive.
#pragma once

#include "lock/flavour.hpp"
#include "scripts/sources.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

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
  // The last of the arguments, where one script serves several primitives (share_acquire.lua: 'rw', 'up', 'permits'); '': whatever it is.
  std::string_view mode{};
  // Votes are for numbered slots (slot_tally.hpp), of which the arguments say how many; and where it is held, before the mode, which.
  bool slots = false;
};

// Readers and writers: all that is asked for them in one of their modes.
inline voting on_shares(std::string_view mode) noexcept {
  return {&scripts::share_acquire,      &scripts::share_renew,
          &scripts::share_release,      &scripts::quorum_share_acquire,
          &scripts::quorum_share_renew, &scripts::quorum_share_release,
          &scripts::quorum_share_fence, mode};
}

inline const std::array votings{
    voting{&scripts::acquire, &scripts::renew, &scripts::release, &scripts::quorum_acquire, &scripts::quorum_renew,
           &scripts::quorum_release, &scripts::quorum_fence},
    voting{&scripts::share_acquire, &scripts::share_renew, &scripts::share_release, &scripts::quorum_permits_acquire,
           &scripts::quorum_permits_renew, &scripts::quorum_permits_release, &scripts::quorum_permits_fence, "permits",
           true},
    // A new capacity goes to the nodes as a release does: to all, answered by a majority.
    voting{nullptr, nullptr, &scripts::share_capacity, nullptr, nullptr, &scripts::quorum_permits_capacity, nullptr},
    on_shares("rw"),
    on_shares("up"),
    on_shares("down"),
};

// The one that a script with these arguments belongs to, the first of them if there are several; null: it cannot be put to the
// vote. The arguments: all of them, or those that the flavour adds at their end.
inline const voting* voting_on(const scripts::script& asked, std::span<const std::string> args) noexcept {
  for (const voting& each : votings) {
    const bool is_asked = &asked == each.asked_acquire || &asked == each.asked_renew || &asked == each.asked_release;
    if (is_asked && (each.mode.empty() || (!args.empty() && args.back() == each.mode))) return &each;
  }
  return nullptr;
}

// Whether all that is ever asked for a flavour can be.
inline bool can_be_voted_on(const flavour& what) noexcept {
  return voting_on(*what.acquire, what.extra) != nullptr && voting_on(*what.renew, what.extra) != nullptr &&
         voting_on(*what.release, what.extra) != nullptr;
}

}  // namespace holdfast::lock
