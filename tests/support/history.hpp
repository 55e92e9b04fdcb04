// A log of who held a lock when, written by many processes, and the check that makes it evidence.
//
//   layout: a file of fixed-size records { owner, fence, start, end }, each appended by one write() with O_APPEND
//
// The kernel places each appended record whole after the last, so writers need no lock of their own; the order in the
// file means nothing, the times do. A holder calls append() when it is about to give the lock up, with `start` read
// AFTER it learned that it holds the lock and `end` read BEFORE it releases: then an overlap is never an artefact.
// Thread safety: append() from any thread and process (also across fork); read and check once the writers are done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/unique_fd.hpp"

namespace holdfast::test {

struct held_interval {
  std::uint64_t owner = 0;  // whatever tells holders apart, e.g. pid * 1000 + thread
  std::uint64_t fence = 0;
  std::int64_t start = 0;  // boottime_ns()
  std::int64_t end = 0;
};

class history {
 public:
  // Opens or creates the file; every process opens the same path.
  explicit history(const std::string& path);

  void append(const held_interval& interval);
  [[nodiscard]] std::vector<held_interval> read() const;

 private:
  std::string path_;
  unique_fd file_;
};

// Describes the first violation in order of start, or nothing: an interval that ends before it starts, two that
// overlap (touching is allowed), or a fence that is not above every earlier one.
[[nodiscard]] std::optional<std::string> find_violation(std::vector<held_interval> intervals);

}  // namespace holdfast::test
