#include "lock/quorum_look.hpp"

#include "lock/quorum_majority.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace holdfast::lock {
namespace {

using std::chrono::milliseconds;

// Every waiter once, the one who has waited longest in front: the nodes' lists need not be in the same order.
void gather_waiters(lock_info& into, const std::vector<lock_info>& answers) {
  std::map<std::string, lock_waiter> all;
  into.waiting = 0;
  for (const lock_info& each : answers) {
    into.waiting = std::max(into.waiting, each.waiting);
    for (const lock_waiter& one : each.waiters) {
      const auto [at, first] = all.emplace(one.owner, one);
      if (!first && one.waited > at->second.waited) at->second.waited = one.waited;
    }
  }
  into.waiters.clear();
  for (auto& each : all) into.waiters.push_back(std::move(each.second));
  std::stable_sort(into.waiters.begin(), into.waiters.end(),
                   [](const lock_waiter& a, const lock_waiter& b) { return a.waited > b.waited; });
  into.waiting = std::max<std::uint64_t>(into.waiting, into.waiters.size());
}

// Until when a majority goes on with it; none: for ever.
std::optional<milliseconds> remaining_of(const std::vector<lock_info>& votes, std::size_t needed) {
  std::vector<milliseconds> all;
  all.reserve(votes.size());
  for (const lock_info& each : votes) all.push_back(each.remaining.value_or(milliseconds::max()));
  std::sort(all.begin(), all.end(), std::greater<>{});
  const milliseconds least = all[needed - 1];
  return least == milliseconds::max() ? std::nullopt : std::optional{least};
}

// As far as a majority has come with it: few may be ahead, by a writing that is on its way, or behind.
std::optional<lock_info> meeting_of(const std::vector<lock_info>& answers, std::size_t needed) {
  std::vector<lock_info> all;
  for (const lock_info& each : answers) {
    if (each.meeting) all.push_back(each);
  }
  if (all.size() < needed) return std::nullopt;
  std::stable_sort(all.begin(), all.end(), [](const lock_info& a, const lock_info& b) {
    return std::pair{b.meeting->phase, a.meeting->missing} < std::pair{a.meeting->phase, b.meeting->missing};
  });
  return std::move(all[needed - 1]);
}

}  // namespace

lock_info agree(std::vector<lock_info> answers, std::size_t nodes) {
  const std::size_t needed = majority_of(nodes);
  std::map<std::string, std::vector<lock_info>> votes;
  for (const lock_info& each : answers) {
    if (each.held && each.layout == lock_layout::plain) votes[each.owner].push_back(each);
  }
  for (auto& [owner, theirs] : votes) {
    if (theirs.size() < needed) continue;
    lock_info out = theirs.front();
    out.remaining = remaining_of(theirs, needed);
    gather_waiters(out, answers);
    return out;
  }
  if (auto met = meeting_of(answers, needed)) {
    gather_waiters(*met, answers);
    return std::move(*met);
  }
  lock_info out;
  out.name = std::move(answers.front().name);
  out.key = std::move(answers.front().key);
  out.type = "none";
  gather_waiters(out, answers);
  return out;
}

lock_list agree(std::vector<lock_list> answers, std::size_t nodes) {
  lock_list out;
  std::map<std::string, std::vector<lock_info>> by_name;
  for (lock_list& each : answers) {
    out.complete = out.complete && each.complete;
    out.keys = std::max(out.keys, each.keys);
    for (lock_info& one : each.locks) by_name[one.name].push_back(std::move(one));
  }
  for (auto& [name, seen] : by_name) {
    lock_info one = agree(std::move(seen), nodes);
    if (one.held || one.waiting > 0 || one.meeting) out.locks.push_back(std::move(one));
  }
  return out;
}

}  // namespace holdfast::lock
