#include "watch/board.hpp"

#include <algorithm>

namespace holdfast::cli::watch {
namespace {

using std::chrono::milliseconds;

// A look and the answer to it are not of one moment; what had less than this left may have ended in between.
constexpr milliseconds slack{50};

bool had_run_out(const sight& before, clock::duration since) {
  return before.remaining && *before.remaining <= std::chrono::duration_cast<milliseconds>(since) + slack;
}

// How many of those who waited have had their turn, or given up.
std::uint64_t left_queue(const sight& before, const sight& now) {
  return static_cast<std::uint64_t>(
      std::count_if(before.waiters.begin(), before.waiters.end(), [&](const std::string& each) {
        return std::find(now.waiters.begin(), now.waiters.end(), each) == now.waiters.end();
      }));
}

}  // namespace

std::string_view to_string(order how) noexcept {
  switch (how) {
    case order::name:
      return "name";
    case order::remaining:
      return "remaining";
    case order::waiters:
      return "waiters";
    case order::held:
      return "held";
  }
  return "";
}

void board::end(known& before, clock::time_point now, std::vector<event>& told) {
  const sight& was = before.shown.now;
  if (was.owner.empty()) return;
  const bool lost = had_run_out(was, now - before.at);
  if (lost) {
    ++losses_;
    ++losses_by_name_[was.name];
    ++before.shown.losses;
  }
  told.push_back({lost ? happening::lost : happening::released, was.name, was.holder, was.waiting});
}

std::vector<event> board::compare(known& before, const sight& now, clock::time_point when) {
  std::vector<event> told;
  const sight& was = before.shown.now;
  before.shown.handoffs = 0;
  if (now.owner == was.owner) return told;
  if (now.owner.empty()) {
    end(before, when, told);
    return told;
  }
  const bool lost = !was.owner.empty() && had_run_out(was, when - before.at);
  if (lost) end(before, when, told);
  before.shown.handoffs = std::max<std::uint64_t>(left_queue(was, now), 1);
  told.push_back({was.owner.empty() ? happening::seen : happening::handed_over, now.name, now.holder, now.waiting});
  before.shown.longest = milliseconds{0};
  return told;
}

std::vector<event> board::look(const std::vector<sight>& all, clock::time_point now) {
  if (last_) interval_ = now - *last_;
  last_ = now;
  std::vector<event> told;
  std::map<std::string, known> next;
  for (const sight& each : all) {
    known entry;
    if (const auto found = rows_.find(each.name); found != rows_.end()) {
      entry = std::move(found->second);
      rows_.erase(found);
      for (event& what : compare(entry, each, now)) told.push_back(std::move(what));
    } else {
      if (const auto lost = losses_by_name_.find(each.name); lost != losses_by_name_.end()) {
        entry.shown.losses = lost->second;
      }
      if (!each.owner.empty()) told.push_back({happening::seen, each.name, each.holder, each.waiting});
    }
    entry.shown.now = each;
    entry.shown.longest = std::max(entry.shown.longest, each.remaining.value_or(milliseconds{0}));
    entry.at = now;
    next.insert_or_assign(each.name, std::move(entry));
  }
  for (auto& [name, gone] : rows_) end(gone, now, told);
  rows_ = std::move(next);
  return told;
}

std::vector<row> board::rows(order how, std::string_view filter) const {
  std::vector<row> out;
  for (const auto& [name, entry] : rows_) {
    if (name.find(filter) != std::string::npos) out.push_back(entry.shown);
  }
  const auto left = [](const row& each) { return each.now.remaining.value_or(milliseconds::max()); };
  const auto held = [](const row& each) { return each.now.held_for.value_or(milliseconds{-1}); };
  // By name already, as the map has it; equal ones stay so.
  std::stable_sort(out.begin(), out.end(), [&](const row& a, const row& b) {
    switch (how) {
      case order::remaining:
        return left(a) < left(b);
      case order::waiters:
        return a.now.waiting > b.now.waiting;
      case order::held:
        return held(a) > held(b);
      case order::name:
        break;
    }
    return false;
  });
  return out;
}

double board::handoffs_per_second() const {
  if (interval_.count() <= 0) return 0;
  std::uint64_t sum = 0;
  for (const auto& [name, entry] : rows_) sum += entry.shown.handoffs;
  return static_cast<double>(sum) / interval_.count();
}

std::size_t board::waiting() const {
  std::size_t sum = 0;
  for (const auto& [name, entry] : rows_) sum += entry.shown.now.waiting;
  return sum;
}

}  // namespace holdfast::cli::watch
