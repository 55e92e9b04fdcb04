// Releasing a lock on a quorum, decided without I/O: which of the three outcomes it is, as soon as that is certain (docs/quorum.md,
// "Release"). It is sent to all nodes, those that never granted included.
//
//   a majority gave it back                                     RELEASED, at once
//   fewer than a majority can have had it, whatever is due      WAS_LOST
//   fewer than a majority answered                              UNKNOWN
//   otherwise, with all answers in                              RELEASED: with those that are silent it was a majority
//
// Thread safety: none.
#pragma once

#include "lock/quorum_majority.hpp"
#include "runtime/clock.hpp"

#include <vector>

namespace holdfast::lock {

enum class quorum_outcome : unsigned char { wait, released, was_lost, unknown };

class quorum_release {
 public:
  quorum_release(std::size_t nodes, runtime::duration node_limit) : limit_after_{node_limit}, nodes_(nodes) {}

  void start(runtime::time_point now) { limit_ = now + limit_after_; }
  quorum_outcome answered(std::size_t node, bool released);
  quorum_outcome failed(std::size_t node);
  quorum_outcome timer(runtime::time_point now);

  [[nodiscard]] runtime::time_point wake_at() const noexcept { return done_ ? runtime::never : limit_; }
  // Nodes that may still have the vote: to be asked again in the background.
  [[nodiscard]] std::vector<std::size_t> unanswered() const;

 private:
  enum class stand : unsigned char { due, released, not_mine, silent };
  [[nodiscard]] std::size_t count(stand what) const noexcept;
  quorum_outcome note(std::size_t node, stand what);
  quorum_outcome decide();

  runtime::duration limit_after_;
  runtime::time_point limit_ = runtime::never;
  std::vector<stand> nodes_;
  bool done_ = false;
};

}  // namespace holdfast::lock
