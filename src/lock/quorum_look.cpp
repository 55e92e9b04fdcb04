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

constexpr milliseconds for_ever = milliseconds::max();

std::optional<milliseconds> told(milliseconds left) { return left == for_ever ? std::nullopt : std::optional{left}; }

// What each node that names it says of one holder. The first answer that does stands for what they all say alike.
struct named {
  const lock_info* where = nullptr;
  lock_holder who{};
  std::vector<milliseconds> ends{};
  std::vector<std::uint64_t> weights{};

  void add(const lock_info& from, const lock_holder& one) {
    if (where == nullptr) {
      where = &from;
      who = one;
    }
    ends.push_back(one.remaining ? *one.remaining : from.remaining.value_or(for_ever));
    weights.push_back(one.weight);
  }
};

// What `needed` of them have at least.
template <class Number>
Number common(std::vector<Number> of, std::size_t needed) {
  std::sort(of.begin(), of.end(), std::greater<>{});
  return of[needed - 1];
}

// By owner. One that a node names twice counts once.
std::map<std::string, named> names_of(const std::vector<lock_info>& answers) {
  std::map<std::string, named> out;
  for (const lock_info& each : answers) {
    if (!each.held || (each.layout != lock_layout::plain && each.layout != lock_layout::shares)) continue;
    std::map<std::string_view, const lock_holder*> here;
    for (const lock_holder& one : each.held_by) here.emplace(one.owner, &one);
    for (const auto& [owner, one] : here) out[std::string{owner}].add(each, *one);
  }
  return out;
}

struct holding {
  lock_holder who;
  milliseconds left;
  const lock_info* where;
};

// Those whom a majority names, with what a majority gives them; the first to end in front.
std::vector<holding> holders_of(const std::vector<lock_info>& answers, std::size_t needed) {
  std::vector<holding> out;
  for (auto& [owner, each] : names_of(answers)) {
    if (each.ends.size() < needed) continue;
    const milliseconds left = common(each.ends, needed);
    holding one{std::move(each.who), left, each.where};
    one.who.weight = common(each.weights, needed);
    if (one.who.remaining) one.who.remaining = told(left);
    out.push_back(std::move(one));
  }
  std::ranges::stable_sort(out, {}, &holding::left);
  return out;
}

}  // namespace

lock_info agree(std::vector<lock_info> answers, std::size_t nodes) {
  auto found = holders_of(answers, majority_of(nodes));
  lock_info out;
  if (found.empty()) {
    out.name = answers.front().name;
    out.key = answers.front().key;
    out.type = "none";
  } else {
    out = *found.front().where;
    out.owner = found.front().who.owner;
    out.host = found.front().who.host;
    out.pid = found.front().who.pid;
    out.remaining = told(found.back().left);
    out.holders = found.size();
    out.in_use = 0;
    out.held_by.clear();
    for (holding& each : found) {
      if (out.layout == lock_layout::shares) out.in_use += each.who.weight;
      out.held_by.push_back(std::move(each.who));
    }
  }
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
    if (one.held || one.waiting > 0) out.locks.push_back(std::move(one));
  }
  return out;
}

}  // namespace holdfast::lock
