// One value with a version on the nodes of a quorum, which a lock guards: its two rounds, decided without I/O
// (docs/quorum_family.md, "latch and barrier", where it is shown to be right).
//
//   reading   a majority has the same version                AGREED   at once; version 0 is "nothing"
//             a majority answered, in different versions     MIXED    when nothing is due any more: the greatest
//             no majority answered                           FAILED
//   writing   a majority has it, under the writer's lock     WRITTEN  at once
//             a majority cannot have it any more             FAILED   it may be on some, and is adopted or lost
//
// What counts must have come before the lock's deadline: whoever carries these out gives the time until then as the limit.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace holdfast::lock {

enum class quorum_reading : unsigned char { wait, agreed, mixed, failed };

class quorum_read {
 public:
  explicit quorum_read(std::size_t nodes) : nodes_(nodes) {}

  quorum_reading answered(std::size_t node, std::uint64_t version);
  quorum_reading failed(std::size_t node);  // it will not say, or is not to be listened to
  quorum_reading timer();                   // the limit has passed

  // After AGREED or MIXED: the version to go by, and a node that has it.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] std::size_t node() const noexcept;
  // Some node has answered that it has less.
  [[nodiscard]] bool lags() const noexcept;
  [[nodiscard]] std::size_t answers() const noexcept;

 private:
  enum class stand : unsigned char { due, known, silent };
  struct node_state {
    stand at = stand::due;
    std::uint64_t version = 0;
  };
  [[nodiscard]] std::size_t count(stand what) const noexcept;
  quorum_reading decide();

  std::vector<node_state> nodes_;
  std::uint64_t version_ = 0;
  bool done_ = false;
};

enum class quorum_writing : unsigned char { wait, written, failed };

class quorum_write {
 public:
  explicit quorum_write(std::size_t nodes) : nodes_(nodes) {}

  quorum_writing answered(std::size_t node, bool counts);
  quorum_writing failed(std::size_t node) { return answered(node, false); }
  quorum_writing timer();

  [[nodiscard]] std::size_t written() const noexcept;

 private:
  quorum_writing decide();

  std::vector<std::optional<bool>> nodes_;  // none: due
  bool done_ = false;
};

// The clock that most can live with: the one in the middle, so that few nodes whose clocks are wrong do not matter. Not empty.
std::uint64_t middle_of(std::vector<std::uint64_t> clocks);

}  // namespace holdfast::lock
