// Who held the lock when, and what that proves.
//
// A hold counts from when the taker's call returned until just before its release call; of the killed one until the
// kill, of the stopped one until its own deadline, to which it would have gone on working.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "report.hpp"

namespace demo {

struct hold {
  int process = 0;
  std::uint64_t fence = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

class ledger {
 public:
  void take(const report& heard);            // any report
  void ended(int process, std::int64_t at);  // of one that cannot report its end
  [[nodiscard]] const std::vector<hold>& holds() const noexcept { return holds_; }

  [[nodiscard]] int overlaps() const;
  [[nodiscard]] int fence_regressions() const;

  // Time from a release call to the return of the next taker's, for every pair of holds from number `from` on.
  [[nodiscard]] std::vector<std::int64_t> handoffs(std::size_t from, std::size_t to) const;

 private:
  std::vector<hold> holds_;          // in order of start
  std::map<int, std::size_t> open_;  // by process
};

// The share (0 to 1) of the sorted values; 0 without any.
std::int64_t quantile(std::vector<std::int64_t> values, double share);

}  // namespace demo
