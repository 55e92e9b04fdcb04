// One try to acquire a lock on a quorum, decided without I/O: the nodes' answers and the time go in, the decision comes out.
// The algorithm and why it is right: docs/quorum.md. What is won is one slot, or several that have numbers (slot_tally.hpp); "majority"
// means one for each.
//
//            start             majority, one number
//   (new) ----------> ASKING ---------------------------------> WON
//                      |   |                                     ^
//                      |   | majority, numbers differ            | a majority has noted the greatest
//                      |   +------------------> NOTING ----------+
//                      |                           |
//                      +---------------------------+----> REFUSED   a majority is out of reach, too late, cancelled
//
// - Decided as early as possible: at the majority, and when it cannot be reached any more. The one exception is a quorum
//   whose nodes all seem fresh: only all of them together show that (fresh()), and meanwhile nobody could win anyway.
// - What a node does not say within the limit is a vote against. So is every failure.
// - The lease counts from before the first sending, whatever was granted when.
// - After REFUSED, release on ALL nodes: those that did not answer may still have granted.
// - After WON, later answers change nothing; nodes that granted late have the lock as well, and are renewed with the rest.
// Thread safety: none.
#pragma once

#include "lock/proof.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/quorum_replies.hpp"
#include "lock/slot_tally.hpp"
#include "runtime/clock.hpp"
#include "runtime/random.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::lock {

struct quorum_terms {
  std::size_t nodes = 0;
  runtime::duration ttl{};
  runtime::duration stop_margin{};
  runtime::duration node_limit{};  // how long a node may take to answer
  bool fence = true;
  std::size_t slots = 1;  // how many are wanted together; a plain lock is one
};

// ask: to all nodes. note: write number() back on the nodes of take_unnoted(); then go on waiting.
enum class quorum_step : unsigned char { wait, ask, note, won, refused };

enum class quorum_refusal : unsigned char {
  held,           // one other owner is in the way
  split,          // the votes are divided among several, us perhaps: try again soon, after split_pause()
  young,          // too many nodes may not vote yet: left() says how long
  refused,        // a node's own reason, which waiting does not help: refusal()
  other_max_ttl,  // a node says that the deployment's max_ttl is another
  unreachable,    // too few nodes answered
  late,           // nothing would be left of the lease
  cancelled,
};

class quorum_acquire {
 public:
  explicit quorum_acquire(const quorum_terms& how)
      : terms_{how}, nodes_(how.nodes), voted_{how.slots}, noted_{how.slots} {}

  quorum_step start(runtime::time_point now);
  quorum_step answered(runtime::time_point now, std::size_t node, const vote_reply& reply);
  quorum_step noted(runtime::time_point now, std::size_t node, note_reply reply);
  quorum_step failed(runtime::time_point now,
                     std::size_t node);  // whatever was due from it will not come, or is of no use
  quorum_step timer(runtime::time_point now);
  quorum_step cancel();

  [[nodiscard]] runtime::time_point wake_at() const noexcept;
  // The nodes whose votes are waited for, where a majority has answered; of less it cannot be said that it would do without them.
  [[nodiscard]] std::vector<std::size_t> stragglers() const;
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  // The nodes that are still to be sent number(); each is named once.
  std::vector<std::size_t> take_unnoted();

  // After WON, after REFUSED.
  [[nodiscard]] const std::optional<acquisition>& won() const noexcept { return won_; }
  [[nodiscard]] quorum_refusal why() const noexcept { return why_; }
  // After WON: what was won, where slots have numbers. Nodes that granted others are to be told (astray), or others could not have them.
  [[nodiscard]] const std::vector<slot_number>& slots() const noexcept { return slots_; }
  [[nodiscard]] std::vector<std::size_t> astray() const;

  // When it is worth asking again: when so many votes of others have ended that a majority is free; likewise for young
  // nodes. Zero: not known.
  [[nodiscard]] std::chrono::milliseconds left() const;
  [[nodiscard]] std::size_t answers() const noexcept;  // nodes that said anything
  [[nodiscard]] std::chrono::milliseconds max_ttl() const noexcept { return max_ttl_; }
  [[nodiscard]] std::string holder() const;  // whoever has the most votes, or nobody
  [[nodiscard]] const std::string& refusal() const noexcept { return refusal_; }

  // The seats of all nodes, if all are young because they had none; else nothing. quorum_open may follow if may_open().
  [[nodiscard]] std::vector<std::string> fresh() const;

 private:
  enum class state : unsigned char { fresh, asking, noting, done };
  enum class stand : unsigned char { due, granted, noting, noted, held, young, other, refused, silent };

  struct node_state {
    stand at = stand::due;
    std::uint64_t number = 0;
    bool to_send = false;  // the note
    vote_reply told{};     // held, young
  };

  [[nodiscard]] std::size_t count(stand what) const noexcept;
  [[nodiscard]] std::size_t votes() const noexcept;
  [[nodiscard]] bool all_seem_fresh() const noexcept;
  void stand_as(node_state& each, stand what);
  quorum_step decide(runtime::time_point now);
  quorum_step decide_notes();
  quorum_step begin_notes(runtime::time_point now);
  quorum_step win();
  quorum_step refuse(quorum_refusal why);
  [[nodiscard]] quorum_refusal judge();
  [[nodiscard]] bool find_refusal();
  // By name; `together`: readers are as one, since they are not in each other's way, and of permits the last one is named.
  [[nodiscard]] std::map<std::string, std::size_t> holders(bool together) const;

  quorum_terms terms_;
  std::vector<node_state> nodes_;
  slot_tally voted_;  // granted, noting, noted
  slot_tally noted_;
  state state_ = state::fresh;
  runtime::time_point sent_{};
  runtime::time_point limit_ = runtime::never;
  std::uint64_t number_ = 0;
  std::chrono::milliseconds max_ttl_{0};
  std::vector<slot_number> slots_;
  std::string refusal_;
  std::optional<acquisition> won_;
  quorum_refusal why_ = quorum_refusal::cancelled;
};

// A process that is older than this has not forgotten, by restarting, a vote of a lease that still lives. INFO tells whole
// seconds, hence one more.
inline bool may_open(std::chrono::seconds uptime, std::chrono::milliseconds max_ttl) noexcept {
  return uptime > max_ttl + std::chrono::seconds{1};
}

// How long to stay away after a split vote: random, so that those who split part; longer with each try in a row (counted from 0).
runtime::duration split_pause(unsigned tries, runtime::duration round, runtime::random_source& random);

}  // namespace holdfast::lock
