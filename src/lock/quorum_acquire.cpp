#include "lock/quorum_acquire.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::lock {

using runtime::duration;
using runtime::time_point;
using std::chrono::milliseconds;

std::size_t quorum_acquire::count(stand what) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, what, &node_state::at));
}

std::size_t quorum_acquire::votes() const noexcept {
  return count(stand::granted) + count(stand::noting) + count(stand::noted);
}

// A vote is counted from when it is given until it is known to be of no use.
void quorum_acquire::stand_as(node_state& each, stand what) {
  const auto is_vote = [](stand at) { return at == stand::granted || at == stand::noting || at == stand::noted; };
  if (is_vote(each.at) && !is_vote(what)) voted_.remove(each.told.slots);
  if (!is_vote(each.at) && is_vote(what)) voted_.add(each.told.slots);
  if (what == stand::noted) noted_.add(each.told.slots);
  each.at = what;
}

bool quorum_acquire::all_seem_fresh() const noexcept {
  return count(stand::young) != 0 && std::ranges::all_of(nodes_, [](const node_state& each) {
           return each.at == stand::due || (each.at == stand::young && each.told.fresh);
         });
}

quorum_step quorum_acquire::start(time_point now) {
  sent_ = now;
  limit_ = now + terms_.node_limit;
  state_ = state::asking;
  return quorum_step::ask;
}

quorum_step quorum_acquire::answered(time_point now, std::size_t node, const vote_reply& reply) {
  node_state& each = nodes_[node];
  if (state_ == state::done || each.at != stand::due) return quorum_step::wait;
  each.told = reply;
  switch (reply.what) {
    case vote_reply::kind::granted:
      stand_as(each, stand::granted);
      each.number = reply.number;
      break;
    case vote_reply::kind::held:
      each.at = stand::held;
      break;
    case vote_reply::kind::young:
      each.at = stand::young;
      break;
    case vote_reply::kind::other_max_ttl:
      each.at = stand::other;
      max_ttl_ = reply.max_ttl;
      break;
    case vote_reply::kind::refused:
      each.at = stand::refused;
      break;
  }
  if (state_ == state::noting && each.at == stand::granted) {
    // Late, but a vote. Whatever is not below our number was drawn under our own vote, so it is as good as noted.
    stand_as(each, each.number >= number_ ? stand::noted : stand::noting);
    each.to_send = each.at == stand::noting;
    const quorum_step step = decide(now);
    return step == quorum_step::wait && each.to_send ? quorum_step::note : step;
  }
  return decide(now);
}

quorum_step quorum_acquire::noted(time_point now, std::size_t node, note_reply reply) {
  node_state& each = nodes_[node];
  if (state_ != state::noting || each.at != stand::noting) return quorum_step::wait;
  stand_as(each, reply == note_reply::noted ? stand::noted : stand::silent);  // silent: the vote is gone
  return decide(now);
}

quorum_step quorum_acquire::failed(time_point now, std::size_t node) {
  node_state& each = nodes_[node];
  if (state_ == state::done || (each.at != stand::due && each.at != stand::noting)) return quorum_step::wait;
  stand_as(each, stand::silent);
  return decide(now);
}

quorum_step quorum_acquire::timer(time_point now) {
  if (state_ == state::done) return quorum_step::wait;
  if (now >= limit_) {
    for (node_state& each : nodes_) {
      if (each.at == stand::due || each.at == stand::noting) stand_as(each, stand::silent);
    }
  }
  return decide(now);
}

quorum_step quorum_acquire::cancel() {
  return state_ == state::done ? quorum_step::wait : refuse(quorum_refusal::cancelled);
}

quorum_step quorum_acquire::decide(time_point now) {
  if (now >= deadline_of({sent_, terms_.ttl}, terms_.stop_margin)) return refuse(quorum_refusal::late);
  const std::size_t needed = majority_of(nodes_.size());
  if (state_ == state::noting) return decide_notes();
  if (voted_.least() >= needed) return begin_notes(now);
  if (voted_.least() + count(stand::due) >= needed) return quorum_step::wait;
  if (count(stand::due) != 0 && all_seem_fresh()) return quorum_step::wait;
  return refuse(judge());
}

quorum_step quorum_acquire::begin_notes(time_point now) {
  for (const node_state& each : nodes_) number_ = std::max(number_, each.number);
  for (node_state& each : nodes_) {
    if (each.at != stand::granted) continue;
    stand_as(each, !terms_.fence || each.number == number_ ? stand::noted : stand::noting);
    each.to_send = each.at == stand::noting;
  }
  if (noted_.least() >= majority_of(nodes_.size())) return win();
  state_ = state::noting;
  limit_ = now + terms_.node_limit;
  return quorum_step::note;
}

quorum_step quorum_acquire::decide_notes() {
  const std::size_t needed = majority_of(nodes_.size());
  if (noted_.least() >= needed) return win();
  if (voted_.least() + count(stand::due) >= needed) return quorum_step::wait;
  return refuse(judge());
}

std::vector<std::size_t> quorum_acquire::take_unnoted() {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (std::exchange(nodes_[i].to_send, false)) out.push_back(i);
  }
  return out;
}

quorum_step quorum_acquire::win() {
  state_ = state::done;
  slots_ = noted_.best();
  won_ = acquisition{.fence = terms_.fence ? number_ : 0, .held = {sent_, terms_.ttl}};
  return quorum_step::won;
}

std::vector<std::size_t> quorum_acquire::astray() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].told.slots.empty() && nodes_[i].told.slots != slots_) out.push_back(i);
  }
  return out;
}

quorum_step quorum_acquire::refuse(quorum_refusal why) {
  state_ = state::done;
  why_ = why;
  return quorum_step::refused;
}

// The reason that a caller can do most about, of those that are enough by themselves.
quorum_refusal quorum_acquire::judge() {
  const std::size_t spare = nodes_.size() - majority_of(nodes_.size());  // so many may be against
  if (count(stand::other) != 0) return quorum_refusal::other_max_ttl;
  if (find_refusal()) return quorum_refusal::refused;
  if (count(stand::silent) > spare) return quorum_refusal::unreachable;
  if (count(stand::young) > spare) return quorum_refusal::young;
  if (votes() > spare) return quorum_refusal::split;  // for different slots
  const auto others = rivals();
  for (const auto& [name, votes] : others) {
    if (votes >= majority_of(nodes_.size())) return quorum_refusal::held;
  }
  if (others.size() + (votes() != 0 ? 1 : 0) > 1) {
    // Where there is room for several, nodes may name different ones although all are in on every node. Whoever got no vote at
    // all is in nobody's way.
    const bool of_several =
        std::ranges::any_of(nodes_, [](const node_state& each) { return !each.told.rival.empty(); });
    return of_several && votes() == 0 ? quorum_refusal::held : quorum_refusal::split;
  }
  if (!others.empty()) return quorum_refusal::held;
  return count(stand::young) != 0 ? quorum_refusal::young : quorum_refusal::unreachable;
}

// What one node says is enough where two would wait for each other. That a share is lost, or that more is asked for than there is,
// takes so many that no majority can say otherwise.
bool quorum_acquire::find_refusal() {
  const std::size_t spare = nodes_.size() - majority_of(nodes_.size());
  std::map<std::string, std::size_t> reasons;
  for (const node_state& each : nodes_) {
    if (each.at != stand::refused) continue;
    const std::string reason = each.told.refusal.substr(0, each.told.refusal.find(' '));
    if (++reasons[reason] <= spare && reason != "deadlock") continue;
    refusal_ = each.told.refusal;
    return true;
  }
  return false;
}

namespace {

const std::string& rival_in(const vote_reply& told) { return told.rival.empty() ? told.holder : told.rival; }

}  // namespace

std::map<std::string, std::size_t> quorum_acquire::rivals() const {
  std::map<std::string, std::size_t> votes;
  for (const node_state& each : nodes_) {
    if (each.at == stand::held) ++votes[rival_in(each.told)];
  }
  return votes;
}

time_point quorum_acquire::wake_at() const noexcept {
  if (state_ == state::fresh || state_ == state::done) return runtime::never;
  return std::min(limit_, deadline_of({sent_, terms_.ttl}, terms_.stop_margin));
}

milliseconds quorum_acquire::left() const {
  std::vector<milliseconds> ends;
  std::size_t open = 0;
  for (const node_state& each : nodes_) {
    if (each.at == stand::granted || each.at == stand::noting || each.at == stand::noted) ++open;
    if ((each.at == stand::held || each.at == stand::young) && each.told.left >= milliseconds{0}) {
      ends.push_back(each.told.left);
    }
  }
  const std::size_t needed = majority_of(nodes_.size());
  if (open >= needed || open + ends.size() < needed) return milliseconds{0};
  std::ranges::sort(ends);
  return ends[needed - open - 1];
}

std::size_t quorum_acquire::answers() const noexcept {
  return nodes_.size() - count(stand::due) - count(stand::silent);
}

std::vector<std::size_t> quorum_acquire::stragglers() const {
  std::vector<std::size_t> out;
  if (state_ != state::asking || answers() < majority_of(nodes_.size()) || all_seem_fresh()) return out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].at == stand::due) out.push_back(i);
  }
  return out;
}

std::string quorum_acquire::holder() const {
  std::map<std::string, std::size_t> named;
  for (const node_state& each : nodes_) {
    if (each.at == stand::held) ++named[each.told.holder];
  }
  const auto most = std::ranges::max_element(named, {}, [](const auto& each) { return each.second; });
  return most == named.end() ? std::string{} : most->first;
}

std::vector<std::string> quorum_acquire::fresh() const {
  std::vector<std::string> seats;
  if (count(stand::young) != nodes_.size() || !all_seem_fresh()) return seats;
  for (const node_state& each : nodes_) seats.push_back(each.told.seat);
  return seats;
}

duration split_pause(unsigned tries, duration round, runtime::random_source& random) {
  const duration base = std::clamp<duration>(round, milliseconds{1}, milliseconds{16});
  return random.between(duration{0}, std::min<duration>(base * (2U << std::min(tries, 5U)), milliseconds{64}));
}

}  // namespace holdfast::lock
