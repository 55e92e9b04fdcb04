// The map of a cluster: when it is asked for, and what a new one changes. Commands: cluster.cpp.
#include "topology/cluster.hpp"

#include "topology/cluster_node.hpp"

#include <algorithm>
#include <bitset>

namespace holdfast::topology {

using runtime::time_point;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds shortest_interval{100};
// While a node is down somebody else is perhaps being made primary in its place.
constexpr milliseconds while_down{250};
constexpr milliseconds while_useless{500};

}  // namespace

std::uint16_t cluster::find_or_add(const endpoint& where) {
  const auto at = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& each) { return each->where == where; });
  if (at != nodes_.end()) return static_cast<std::uint16_t>(at - nodes_.begin());
  nodes_.push_back(std::make_unique<node>(*this, where));
  return static_cast<std::uint16_t>(nodes_.size() - 1);
}

void cluster::want_map(time_point at) {
  if (closed_) return;
  at = std::max(at, asked_at_ + shortest_interval);
  if (at >= due_) return;
  due_ = at;
  timers_.schedule(*this, at);
}

void cluster::fire(time_point now) {
  due_ = runtime::never;
  let_go(now);
  ask_map(now);
}

void cluster::ask_map(time_point now) {
  if (closed_ || request_->pending()) return;
  node* whom = nullptr;
  if (informed_ != nullptr && informed_->at->ready()) whom = informed_;
  informed_ = nullptr;
  for (std::size_t i = 0; whom == nullptr && i < nodes_.size(); ++i) {
    node& each = *nodes_[turn_++ % nodes_.size()];
    if (each.at->ready()) whom = &each;
  }
  if (whom == nullptr) {
    // Nobody is up, and by what we know nobody may ever be again: those that the user named may know more.
    for (const auto& each : nodes_) {
      if (each->seed) each->at->open(now);
    }
    return;
  }
  asked_at_ = now;
  request_->asked = whom;
  whom->at->submit(*request_, now);
}

void cluster::read_map(const resp::value& reply, node& from, time_point now) {
  if (reply.is_error()) {
    const bool other = reply.text.find("cluster support disabled") != std::string::npos;
    const bool forbidden = reply.text.starts_with("NOPERM");
    if (!other && !forbidden) return want_map(now + while_useless);
    const std::string who = from.how.display();
    refuse_lobby(
        {errc::refused, other ? who + " is not a node of a Redis Cluster; write redis:// instead of redis+cluster://"
                              : who + ": the ACL user may not ask CLUSTER SLOTS; see docs/operate.md"},
        now, true);
    return;
  }
  const auto map = read_slots(reply, from.where);
  if (!map || map->empty()) {
    // A node that has been started and not yet introduced to the others.
    refuse_lobby({errc::server_busy, from.how.display() + " knows of no slots; is the cluster made?"}, now, false);
    return want_map(now + while_useless);
  }
  follow(*map, now);
}

void cluster::follow(const std::vector<slot_range>& map, time_point now) {
  std::bitset<resp::slots> changed;
  const auto before = serves_;
  serves_.fill(nobody);
  for (const auto& each : nodes_) each->serving = false;
  for (const slot_range& each : map) {
    const std::uint16_t place = find_or_add(each.primary);
    nodes_[place]->serving = true;
    std::fill(serves_.begin() + each.first, serves_.begin() + each.last + 1, place);
  }
  for (std::size_t slot = 0; slot < serves_.size(); ++slot) changed[slot] = serves_[slot] != before[slot];
  bool whole = true;
  for (const auto& each : nodes_) {
    if (!each->serving) continue;
    each->at->open(now);
    whole = whole && each->at->ready();
  }
  const bool first = !std::exchange(known_, true);
  lobby_.take_if([](const net::request&, time_point) { return true; }, [&](net::request& each) { submit(each, now); });
  let_go(now);
  if (!first && changed.any()) {
    owner_.on_moved([&](std::string_view key) { return changed[resp::slot_of(key)]; }, now);
  }
  if (!whole) want_map(now + while_down);
}

// One slot, told by the node that had it before.
void cluster::moved(const redirection& how, time_point now) {
  const std::uint16_t place = find_or_add(how.where);
  informed_ = nodes_[place].get();
  want_map(now);
  if (std::exchange(serves_[how.slot], place) == place) return;
  nodes_[place]->serving = true;
  owner_.on_moved([&](std::string_view key) { return resp::slot_of(key) == how.slot; }, now);
}

// Those that serve nothing any more. What waits there goes where it belongs now; what is under way is answered first.
void cluster::let_go(time_point now) {
  if (!known_) return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    node& each = *nodes_[i];
    if (each.serving) continue;
    if (now < each.needed_until) {
      want_map(each.needed_until);
      continue;
    }
    if (each.at->ready() && each.at->in_flight() > 0) {
      want_map(now + while_useless);
      continue;
    }
    const failure why{errc::unreachable, each.how.display() + " serves no slots any more"};
    for (net::connection* const line : {each.at, each.waiting}) {
      if (line == nullptr) continue;
      for (net::request* left : line->rest(why, now)) submit(*left, now);
    }
  }
}

}  // namespace holdfast::topology
