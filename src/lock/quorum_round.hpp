// One question to all nodes of a quorum, decided without I/O by what most of them say.
//
//   a majority says the same                                  AGREED, at once
//   a majority has answered, and that cannot come about       SPLIT
//   too many do not answer for a majority of answers          UNREACHABLE
//
// For what is no lock; a vote has machines of its own (quorum_acquire.hpp). What a node does not say within the limit it does not
// say at all. After the end later answers change nothing. Thread safety: none.
#pragma once

#include "lock/quorum_majority.hpp"
#include "runtime/clock.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::lock {

enum class round_end : unsigned char { open, agreed, split, unreachable };

class quorum_round {
 public:
  quorum_round(std::size_t nodes, runtime::duration node_limit) : limit_after_{node_limit}, nodes_(nodes) {}

  void start(runtime::time_point now) { limit_ = now + limit_after_; }
  // Each returns the state after it.
  round_end says(std::size_t node, std::string_view what);
  round_end failed(std::size_t node);  // it will not answer, or nothing of use
  round_end timer(runtime::time_point now);

  [[nodiscard]] round_end end() const noexcept { return end_; }
  [[nodiscard]] runtime::time_point wake_at() const noexcept {
    return end_ == round_end::open ? limit_ : runtime::never;
  }
  [[nodiscard]] runtime::time_point limit() const noexcept { return limit_; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] std::size_t answers() const noexcept;
  // The nodes that had said this before the end.
  [[nodiscard]] std::vector<std::size_t> saying(std::string_view what) const;
  [[nodiscard]] std::vector<std::size_t> unheard() const;  // that had said nothing
  // After AGREED: what a majority says.
  [[nodiscard]] const std::string& word() const noexcept { return nodes_[speaker_].word; }

 private:
  enum class stand : unsigned char { due, told, silent };
  struct node_state {
    stand at = stand::due;
    std::string word;
  };

  [[nodiscard]] std::size_t count(stand what) const noexcept;
  round_end decide();

  runtime::duration limit_after_;
  runtime::time_point limit_ = runtime::never;
  std::vector<node_state> nodes_;
  round_end end_ = round_end::open;
  std::size_t speaker_ = 0;  // one of the majority
};

}  // namespace holdfast::lock
