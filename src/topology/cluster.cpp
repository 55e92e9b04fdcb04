// Commands on their way through a cluster. The map: cluster_map.cpp.
#include "topology/cluster.hpp"

#include "topology/cluster_node.hpp"

#include <algorithm>

namespace holdfast::topology {

using runtime::duration;
using runtime::time_point;
using std::chrono::milliseconds;

namespace {

constexpr std::uint8_t most_redirections = 16;
// Keys on their way to another node are there in a moment; a slot that nobody serves waits for a failover.
constexpr milliseconds try_again_least{3};
constexpr milliseconds try_again_most{15};
constexpr milliseconds down_least{50};
constexpr milliseconds down_most{100};
// How long a node is kept that was named by ASK: more of it is to come while a slot moves.
constexpr std::chrono::seconds lodging{10};

}  // namespace

cluster::cluster(const settings& how, node_events& owner, runtime::timer_queue& timers, runtime::random_source& random,
                 maker make)
    : how_{how},
      owner_{owner},
      timers_{timers},
      random_{random},
      make_{std::move(make)},
      lobby_{timers, {}},
      pause_{timers, [this](net::request& what, time_point now) { submit(what, now); }} {
  serves_.fill(nobody);
  request_ = std::make_unique<map_request>(*this);
  for (const endpoint& each : how.hosts) nodes_[find_or_add(each)]->seed = true;
}

cluster::~cluster() { timers_.cancel(*this); }

void cluster::open(time_point now) {
  for (const auto& each : nodes_) each->at->open(now);
}

void cluster::close(const failure& why, time_point now) {
  closed_ = true;
  timers_.cancel(*this);
  request_->abandon();
  refuse_lobby(why, now, true);
  pause_.take_if([](const net::request&, time_point) { return true; },
                 [&](net::request& each) { each.on_refused(why, now); });
}

void cluster::submit(net::request& what, time_point now) {
  if (closed_) return what.on_refused({errc::cancelled, "the client is closed"}, now);
  if (known_) return node_of(what.routed_by()).line_for(what).submit(what, now);
  lobby_.add(what, now, runtime::never);
  open(now);
  if (any_ready() != nullptr) want_map(now);
}

cluster::node& cluster::node_of(std::string_view key) const noexcept {
  if (!key.empty()) {
    const std::uint16_t place = serves_[resp::slot_of(key)];
    if (place != nobody) return *nodes_[place];
  }
  node* const up = any_ready();
  return up != nullptr ? *up : *nodes_.front();
}

net::connection& cluster::of(std::string_view key) const noexcept { return *node_of(key).at; }

net::connection& cluster::waiting(std::string_view key) { return node_of(key).waiting_line(); }

int& cluster::replicas_seen(std::string_view key) noexcept { return node_of(key).replicas_seen; }

std::vector<net::connection*> cluster::primaries() const {
  std::vector<net::connection*> out;
  for (const auto& each : nodes_) {
    if (each->serving) out.push_back(each->at);
  }
  return out;
}

cluster::node* cluster::any_ready() const noexcept {
  node* found = nullptr;
  for (const auto& each : nodes_) {
    if (!each->at->ready()) continue;
    if (each->serving) return each.get();
    if (found == nullptr) found = each.get();
  }
  return found;
}

// PUBLISH reaches all nodes, and we listen on all of them: one is enough to hear it from.
const cluster::node* cluster::ear() const noexcept { return any_ready(); }

// ---- what a node cannot do

bool cluster::redirect(node& from, net::request& what, std::string_view error, time_point now) {
  using kind = redirection::kind;
  if (closed_ || what.only_at != nullptr || &what == request_.get()) return false;
  const auto how = read_redirection(error, from.where);
  if (!how) return false;
  // WAIT is about the replicas of whoever has the slot in the end: while it is being given away, try again.
  const bool elsewhere = how->what == kind::moved || (how->what == kind::ask && !what.blocks);
  if (elsewhere && ++what.redirections <= most_redirections) {
    node& target = *nodes_[find_or_add(how->where)];
    what.asking = how->what == kind::ask;
    if (what.asking) target.needed_until = now + lodging;
    // First, so that what is written for the new node goes by what is known of it: a waiter queues only where it listens.
    if (how->what == kind::moved) moved(*how, now);
    target.line_for(what).submit(what, now);
    return true;
  }
  // Nodes that name one another have yet to agree who serves the slot, which is as if nobody did.
  const bool down = how->what == kind::down || elsewhere;
  what.redirections = 0;
  if (down) want_map(now);
  if (what.turned_away_at == time_point{}) what.turned_away_at = now;
  if (now - what.turned_away_at >= duration{how_.command_timeout} * 3 / 4) {
    if (elsewhere) tell_down(what, error, now);
    return elsewhere;
  }
  pause_.add(what, now,
             now + (down ? random_.between(down_least, down_most) : random_.between(try_again_least, try_again_most)));
  return true;
}

// In the words of a cluster that is down: MOVED itself is for clients of one Redis, and tells them to take a cluster's URL.
void cluster::tell_down(net::request& what, std::string_view error, time_point now) {
  what.turned_away_at = {};
  resp::value told;
  told.type = resp::kind::error;
  told.text.append("CLUSTERDOWN its nodes name one another: ").append(error);
  what.on_reply(told, now);
}

void cluster::refuse_lobby(const failure& why, time_point now, bool all) {
  lobby_.take_if([&](const net::request& each,
                     time_point since) { return all || each.impatient || now - since >= how_.connect_timeout; },
                 [&](net::request& each) { each.on_refused(why, now); });
}

// ---- what a connection tells

void cluster::on_up(node& which, time_point now) {
  which.failed = false;
  owner_.on_up(*which.at, now);
  owner_.wake_driver();  // a caller that drives the others has one more to poll for
  if (!known_ || !which.serving) want_map(now);
}

void cluster::on_failed(node& which, const failure& why, time_point now) {
  which.failed = true;
  if (known_) {
    if (which.serving) want_map(now);
    return;
  }
  const bool all = std::all_of(nodes_.begin(), nodes_.end(), [](const auto& each) { return each->failed; });
  const bool hopeless = why.code != errc::unreachable && why.code != errc::server_busy;
  if (all) refuse_lobby(why, now, hopeless);
}

void cluster::node::on_message(std::string_view payload, bool to_all, time_point now) {
  if (!at->has_shard_inboxes() || of.ear() == this) of.owner_.on_message(payload, to_all, now);
}

void cluster::node::on_shard_message(std::string_view payload, time_point now) {
  of.owner_.on_message(payload, false, now);
}

void cluster::node::on_unsubscribed(net::connection& /*which*/, time_point now) {
  of.informed_ = this;
  of.want_map(now);
}

net::connection& cluster::node::waiting_line() {
  if (waiting == nullptr) waiting = &of.make_(how, quiet, false);
  return *waiting;
}

bool cluster::node::redirect(net::connection& /*from*/, net::request& what, std::string_view error, time_point now) {
  return of.redirect(*this, what, error, now);
}

void cluster::node::on_up(net::connection& /*which*/, time_point now) { of.on_up(*this, now); }

void cluster::node::on_down(net::connection& which, time_point now) {
  if (serving) of.want_map(now);
  of.owner_.on_down(which, now);
}

void cluster::node::on_failed(net::connection& /*which*/, const failure& why, time_point now) {
  of.on_failed(*this, why, now);
}

bool cluster::node::needs_connection(const net::connection& which) const {
  if (!of.known_) return !of.lobby_.empty() || of.owner_.needs_connection(which);
  return serving;
}

void cluster::node::wake_driver() { of.owner_.wake_driver(); }

}  // namespace holdfast::topology
