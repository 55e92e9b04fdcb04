#include "lock/quorum_failures.hpp"

#include "lock/quorum_majority.hpp"

#include <cstdio>
#include <string>

namespace holdfast::lock {

using std::chrono::milliseconds;

failure too_few_answers(std::size_t answers, std::size_t nodes, const std::optional<failure>& problem) {
  const std::string of = std::to_string(answers) + " of " + std::to_string(nodes) + " nodes";
  if (problem) return {problem->code, of + " voted; " + problem->detail};
  return {errc::unreachable, of + " answered, " + std::to_string(majority_of(nodes)) + " are needed"};
}

failure too_many_young(std::size_t nodes, milliseconds left) {
  char text[160];
  std::snprintf(text, sizeof text,
                "too many of %zu nodes may not vote yet, because they were restarted or are new; %.1f s more", nodes,
                static_cast<double>(left.count()) / 1000.0);
  return {errc::server_busy, text};
}

failure another_max_ttl(milliseconds ours, milliseconds theirs) {
  return {errc::bad_option, "max_ttl is " + std::to_string(ours.count()) + " ms here and " +
                                std::to_string(theirs.count()) +
                                " ms on the quorum; all clients must say the same (docs/quorum.md)"};
}

}  // namespace holdfast::lock
