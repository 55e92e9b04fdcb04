// Who leads, by what the nodes of a quorum say; decided without I/O (docs/quorum_family.md, "elector").
//
//   a majority votes for one owner, of whom any of them has a record    that leader, for as long as a majority goes on with it
//   a majority votes for one owner of whom there is no record           not settled
//   nobody has a majority, nor can have by the nodes that are silent    nobody leads
//   anything else                                                       a failure: it cannot be told
//
// Thread safety: none.
#pragma once

#include "lock/leader_record.hpp"

#include <holdfast/result.hpp>

#include "resp/value.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::lock {

// What one node says (quorum_leader_look.lua).
struct leader_vote {
  std::string owner{};  // empty: nobody
  std::chrono::milliseconds left{0};
  std::string record{};  // perhaps of an earlier leader
};
result<leader_vote> read_leader_vote(const resp::value& reply);

class quorum_leader {
 public:
  explicit quorum_leader(std::size_t nodes) : nodes_{nodes}, due_{nodes} {}

  // Each node once: what it says, or why it does not.
  void answered(const leader_vote& vote);
  void failed(const failure& why);

  // Whatever is still due would not change the answer.
  [[nodiscard]] bool decided() const;
  // By what was said; whoever is still due is taken for silent.
  [[nodiscard]] result<leader_look> answer() const;

 private:
  struct votes {
    std::vector<std::chrono::milliseconds> left{};
    std::optional<leader> who{};  // by the records that are about this owner
  };
  [[nodiscard]] std::size_t silent() const noexcept { return nodes_ - answers_; }
  [[nodiscard]] const std::pair<const std::string, votes>* foremost() const noexcept;

  std::size_t nodes_;
  std::size_t due_;
  std::size_t answers_ = 0;
  std::map<std::string, votes> by_owner_;
  std::optional<failure> problem_;  // of a node that was reached
};

}  // namespace holdfast::lock
