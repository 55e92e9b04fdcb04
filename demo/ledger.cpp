#include "ledger.hpp"

#include <algorithm>
#include <cmath>

namespace demo {

void ledger::take(const report& heard) {
  switch (heard.kind) {
    case what::got:
      open_[heard.process] = holds_.size();
      holds_.push_back({heard.process, heard.fence, heard.time, heard.time});
      break;
    case what::released:
      ended(heard.process, heard.time);
      break;
    case what::lost:
      ended(heard.process, heard.deadline);
      break;
    default:
      break;
  }
}

void ledger::ended(int process, std::int64_t at) {
  if (const auto found = open_.find(process); found != open_.end()) {
    holds_[found->second].end = at;
    open_.erase(found);
  }
}

int ledger::overlaps() const {
  auto sorted = holds_;
  std::sort(sorted.begin(), sorted.end(), [](const hold& a, const hold& b) { return a.start < b.start; });
  int found = 0;
  std::int64_t busy_until = 0;
  for (const hold& each : sorted) {
    if (each.start < busy_until || each.end < each.start) ++found;
    busy_until = std::max(busy_until, each.end);
  }
  return found;
}

int ledger::fence_regressions() const {
  auto sorted = holds_;
  std::sort(sorted.begin(), sorted.end(), [](const hold& a, const hold& b) { return a.start < b.start; });
  int found = 0;
  std::uint64_t largest = 0;
  for (const hold& each : sorted) {
    if (each.fence <= largest) ++found;
    largest = std::max(largest, each.fence);
  }
  return found;
}

std::vector<std::int64_t> ledger::handoffs(std::size_t from, std::size_t to) const {
  std::vector<std::int64_t> out;
  for (std::size_t i = from + 1; i < std::min(to, holds_.size()); ++i) {
    out.push_back(holds_[i].start - holds_[i - 1].end);
  }
  return out;
}

std::int64_t quantile(std::vector<std::int64_t> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace demo
