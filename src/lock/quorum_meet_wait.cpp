#include "lock/quorum_meet_wait.hpp"

#include "lock/quorum_majority.hpp"
#include "lock/quorum_replies.hpp"
#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>

namespace holdfast::lock {

using look_kind = meet_look::kind;

result<meet_look> read_look(const resp::value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  meet_look out;
  std::string_view text = reply.text;
  if (reply.type == resp::kind::bulk) {
    if (text == "absent" || text == "other") {
      out.what = text == "other" ? look_kind::other : look_kind::absent;
      return out;
    }
    if (take_word(text, "passed ")) {
      out.what = look_kind::passed;
      if (is_whole_number(text, out.version)) return out;
    } else if (take_word(text, "waiting ")) {
      out.what = look_kind::waiting;
      if (take_number(text, out.version)) {
        out.missing = text;
        return out;
      }
    } else if (const auto unseated = read_vote(reply); unseated && unseated->what == vote_reply::kind::young) {
      out.what = look_kind::young;
      out.number = unseated->left;
      return out;
    } else if (unseated && unseated->what == vote_reply::kind::other_max_ttl) {
      out.what = look_kind::other_max_ttl;
      out.number = unseated->max_ttl;
      return out;
    }
  }
  return odd_answer("quorum_meet_wait");
}

std::size_t quorum_meet_wait::count(look_kind what) const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      nodes_, [what](const node_state& each) { return each.at == stand::told && each.told.what == what; }));
}

std::size_t quorum_meet_wait::due() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, stand::due, &node_state::at));
}

std::size_t quorum_meet_wait::answers() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, stand::told, &node_state::at));
}

meet_step quorum_meet_wait::answered(std::size_t node, const meet_look& reply) {
  if (nodes_[node].at != stand::told) nodes_[node] = {stand::told, reply};
  return decide();
}

meet_step quorum_meet_wait::failed(std::size_t node) {
  if (nodes_[node].at == stand::due) nodes_[node].at = stand::silent;
  return decide();
}

meet_step quorum_meet_wait::timer() {
  for (node_state& each : nodes_) {
    if (each.at == stand::due) each.at = stand::silent;
  }
  return decide();
}

meet_step quorum_meet_wait::decide() {
  if (done_) return meet_step::wait;
  const std::size_t needed = majority_of(nodes_.size());
  const std::size_t gone = count(look_kind::absent) + count(look_kind::other);
  const std::size_t knowing = gone + count(look_kind::passed) + count(look_kind::waiting);
  done_ = true;
  if (count(look_kind::passed) >= needed) return meet_step::passed;
  if (count(look_kind::waiting) >= needed) return meet_step::waiting;
  if (gone >= needed) return meet_step::gone;
  done_ = due() == 0 || knowing + due() < needed;
  if (!done_) return meet_step::wait;
  if (knowing >= needed) return meet_step::unsettled;
  if (count(look_kind::other_max_ttl) != 0) return meet_step::other_max_ttl;
  return knowing + count(look_kind::young) >= needed ? meet_step::young : meet_step::unreachable;
}

std::uint64_t quorum_meet_wait::version() const noexcept {
  std::uint64_t greatest = 0;
  for (const node_state& each : nodes_) greatest = std::max(greatest, each.told.version);
  return greatest;
}

std::string quorum_meet_wait::missing() const {
  const node_state* best = nullptr;
  for (const node_state& each : nodes_) {
    if (each.at != stand::told || each.told.what != look_kind::waiting) continue;
    if (best == nullptr || each.told.version > best->told.version) best = &each;
  }
  return best == nullptr ? std::string{} : best->told.missing;
}

bool quorum_meet_wait::replaced() const noexcept { return count(look_kind::other) > count(look_kind::absent); }

bool quorum_meet_wait::lags() const noexcept {
  const std::uint64_t greatest = version();
  return std::ranges::any_of(nodes_, [&](const node_state& each) {
    const look_kind is = each.told.what;
    return each.at == stand::told && (is == look_kind::passed || is == look_kind::waiting || is == look_kind::absent) &&
           each.told.version < greatest;
  });
}

std::chrono::milliseconds quorum_meet_wait::number() const noexcept {
  std::chrono::milliseconds longest{0};
  for (const node_state& each : nodes_) longest = std::max(longest, each.told.number);
  return longest;
}

}  // namespace holdfast::lock
