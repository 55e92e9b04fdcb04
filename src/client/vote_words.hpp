// Why a vote of a quorum's nodes came to nothing, in the same words whatever they voted on.
#pragma once

#include "client/core.hpp"
#include "lock/quorum_majority.hpp"

#include <holdfast/error.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

namespace holdfast::detail {

inline failure too_many_young(std::size_t nodes, std::chrono::milliseconds left) {
  char text[160];
  std::snprintf(text, sizeof text,
                "too many of %zu nodes may not vote yet, because they were restarted or are new; %.1f s more", nodes,
                static_cast<double>(left.count()) / 1000.0);
  return {errc::server_busy, text};
}

inline failure max_ttl_differs(const core& owner, std::chrono::milliseconds theirs) {
  return {errc::bad_option, "max_ttl is " + std::to_string(owner.where().max_ttl.count()) + " ms here and " +
                                std::to_string(theirs.count()) +
                                " ms on the quorum; all clients must say the same (docs/quorum.md)"};
}

// `problem`: what a node refused it for, if any did.
inline failure too_few_answers(std::size_t nodes, std::size_t answers, const std::optional<failure>& problem) {
  const std::string of = std::to_string(answers) + " of " + std::to_string(nodes) + " nodes";
  if (problem) return {problem->code, of + " voted; " + problem->detail};
  return {errc::unreachable, of + " answered, " + std::to_string(lock::majority_of(nodes)) + " are needed"};
}

}  // namespace holdfast::detail
