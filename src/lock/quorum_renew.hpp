// One round of renewing a lock on a quorum, decided without I/O (docs/quorum.md, "Renew").
//
//   a majority says kept              KEPT     the proof counts from the sending
//   gone or taken by so many that no
//   majority can keep it any more     LOST     proven: at once
//   anything else                     FAILED   nobody knows; try again inside the window, release nothing (D20)
//
// - Nodes that said `gone`, or have not all of the slots, are to be asked for their votes again (take_gone), but only once the round is KEPT, and the vote counts from the
//   next round on: a lock that a majority has forgotten is lost, and is not made anew behind its holder's back (D19).
// - A young node confirms nothing and disproves nothing.
// Thread safety: none.
#pragma once

#include "lock/proof.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/quorum_replies.hpp"
#include "lock/slot_tally.hpp"
#include "runtime/clock.hpp"

#include <holdfast/loss.hpp>

#include <span>
#include <vector>

namespace holdfast::lock {

enum class quorum_renewal : unsigned char { wait, kept, lost, failed };

class quorum_renew {
 public:
  // `slots`: how many are to be kept, each by a majority; a plain lock is one.
  quorum_renew(std::size_t nodes, runtime::duration node_limit, std::size_t slots = 1)
      : limit_after_{node_limit}, slots_{slots}, nodes_(nodes), kept_votes_{slots} {}

  void start(runtime::time_point now, runtime::duration length);
  // `slots`: which of them were kept, if they have numbers.
  quorum_renewal answered(std::size_t node, keep_reply reply, std::span<const slot_number> slots = {});
  quorum_renewal failed(std::size_t node);
  quorum_renewal timer(runtime::time_point now);

  [[nodiscard]] runtime::time_point wake_at() const noexcept { return done_ ? runtime::never : limit_; }
  [[nodiscard]] const proof& held() const noexcept { return held_; }  // after KEPT
  [[nodiscard]] loss_cause cause() const noexcept;                    // after LOST: what more nodes said

  // After KEPT, and again when later answers have come: nodes to ask for their votes again; each is named once.
  std::vector<std::size_t> take_gone();

 private:
  enum class stand : unsigned char { due, kept, partly, gone, taken, unknown };  // partly: not all of the slots
  [[nodiscard]] std::size_t count(stand what) const noexcept;
  quorum_renewal note(std::size_t node, stand what);
  quorum_renewal decide();
  quorum_renewal finish(quorum_renewal what);

  runtime::duration limit_after_;
  runtime::time_point limit_ = runtime::never;
  proof held_{};
  std::size_t slots_;
  std::vector<stand> nodes_;
  slot_tally kept_votes_;
  std::vector<bool> named_ = std::vector<bool>(nodes_.size());
  bool done_ = false;
  bool kept_ = false;
};

}  // namespace holdfast::lock
