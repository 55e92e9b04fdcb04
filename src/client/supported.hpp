// What a deployment cannot do, refused before anything is sent.
//
// Without scripts there is only the plain lock. On a quorum there is what its nodes can vote on (lock/voting.hpp): who
// is the owner of a key, who reads or writes, and whose a numbered permit is. Counts, values and queues are more than that, and merging
// them across nodes is another algorithm.
#pragma once

#include "client/core.hpp"
#include "lock/flavour.hpp"
#include "lock/transaction.hpp"
#include "lock/voting.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::detail {

inline failure not_on_quorum(const core& owner, std::string_view what) {
  return {errc::bad_option,
          std::string{what} + " does not work on a quorum (" + owner.where().display() +
              "); there are mutex, recursive_mutex, shared_mutex, semaphore, multi_lock, acquire and the "
              "call-level forms (docs/quorum.md), and "
              "the rest on one Redis"};
}

// For what a quorum does by plain locks: a multi_lock by one after the other, a recursive_mutex by one whose depth only its holder knows.
inline std::string_view unless_quorum(const core& owner, std::string_view kind) {
  return owner.where().deployment == deployment::quorum ? std::string_view{} : kind;
}

// Why `what`, which is more than a plain lock, cannot be had; nothing if it can.
inline std::optional<failure> unsupported(const core& owner, std::string_view what) {
  if (!owner.where().scripts) return lock::needs_scripts(what);
  if (owner.where().deployment == deployment::quorum) return not_on_quorum(owner, what);
  return std::nullopt;
}

inline std::optional<failure> unsupported(const core& owner, const lock::flavour& what) {
  if (!owner.where().scripts && !lock::works_without_scripts(what)) return lock::needs_scripts(what.noun);
  if (owner.where().deployment != deployment::quorum || lock::can_be_voted_on(what)) return std::nullopt;
  return not_on_quorum(owner, what.noun);
}

// A vote for longer than max_ttl would outlive a node's restart guard.
inline std::optional<failure> too_long(const core& owner, runtime::duration ttl) {
  const auto& how = owner.where();
  if (how.deployment != deployment::quorum || ttl <= how.max_ttl) return std::nullopt;
  return failure{errc::bad_option,
                 "ttl is " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(ttl).count()) +
                     " ms; on this quorum it must not exceed max_ttl, " + std::to_string(how.max_ttl.count()) + " ms"};
}

}  // namespace holdfast::detail
