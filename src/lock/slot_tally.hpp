// The votes of a quorum's nodes, counted per slot.
//
// What is held on a quorum is one or more numbered slots, each by a majority of its own (docs/quorum_family.md, "semaphore"). A plain lock
// is one slot, which no node names.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace holdfast::lock {

using slot_number = std::uint32_t;

class slot_tally {
 public:
  // `wanted`: how many slots are to be held together, at least one.
  explicit slot_tally(std::size_t wanted) : wanted_{wanted} {}

  // One node's vote, or what became of it. Without slots: for the one that has no number.
  void add(std::span<const slot_number> slots);
  void remove(std::span<const slot_number> slots);

  // How many votes each of the best `wanted` slots has at least. With n more nodes to come it cannot become more than n greater.
  [[nodiscard]] std::size_t least() const;
  // The best `wanted` slots, ascending; of those with equally many votes, those with the smaller numbers. Fewer if there are no more.
  [[nodiscard]] std::vector<slot_number> best() const;

 private:
  struct count {
    slot_number slot;
    std::size_t votes;
  };
  std::size_t& votes_for(slot_number slot);

  std::size_t wanted_;
  std::vector<count> counts_;  // by slot
};

}  // namespace holdfast::lock
