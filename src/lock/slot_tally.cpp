#include "lock/slot_tally.hpp"

#include <algorithm>
#include <functional>

namespace holdfast::lock {
namespace {

constexpr slot_number only_slot = 0;

}  // namespace

std::size_t& slot_tally::votes_for(slot_number slot) {
  const auto at = std::ranges::lower_bound(counts_, slot, {}, &count::slot);
  if (at != counts_.end() && at->slot == slot) return at->votes;
  return counts_.insert(at, {slot, 0})->votes;
}

void slot_tally::add(std::span<const slot_number> slots) {
  if (slots.empty()) ++votes_for(only_slot);
  for (const slot_number each : slots) ++votes_for(each);
}

void slot_tally::remove(std::span<const slot_number> slots) {
  if (slots.empty()) --votes_for(only_slot);
  for (const slot_number each : slots) --votes_for(each);
}

std::size_t slot_tally::least() const {
  if (counts_.size() < wanted_) return 0;
  if (wanted_ == 1) return std::ranges::max(counts_, {}, &count::votes).votes;
  std::vector<count> sorted = counts_;
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
  std::ranges::nth_element(sorted, last, std::greater{}, &count::votes);
  return last->votes;
}

std::vector<slot_number> slot_tally::best() const {
  std::vector<count> sorted = counts_;
  std::ranges::stable_sort(sorted, std::greater{}, &count::votes);
  sorted.resize(std::min(wanted_, sorted.size()));
  std::vector<slot_number> out;
  out.reserve(sorted.size());
  for (const count& each : sorted) out.push_back(each.slot);
  std::ranges::sort(out);
  return out;
}

}  // namespace holdfast::lock
