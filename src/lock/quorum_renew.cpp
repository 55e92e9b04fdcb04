#include "lock/quorum_renew.hpp"

#include <algorithm>

namespace holdfast::lock {

std::size_t quorum_renew::count(stand what) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, what));
}

void quorum_renew::start(runtime::time_point now, runtime::duration length) {
  held_ = {now, length};
  limit_ = now + limit_after_;
}

quorum_renewal quorum_renew::answered(std::size_t node, keep_reply reply, std::span<const slot_number> slots) {
  switch (reply) {
    case keep_reply::kept:
      if (nodes_[node] == stand::due) kept_votes_.add(slots);
      return note(node, slots.empty() || slots.size() == slots_ ? stand::kept : stand::partly);
    case keep_reply::gone:
      return note(node, stand::gone);
    case keep_reply::taken:
      return note(node, stand::taken);
    case keep_reply::young:
    case keep_reply::other_max_ttl:
      break;
  }
  return note(node, stand::unknown);
}

quorum_renewal quorum_renew::failed(std::size_t node) { return note(node, stand::unknown); }

quorum_renewal quorum_renew::timer(runtime::time_point now) {
  if (done_ || now < limit_) return quorum_renewal::wait;
  return finish(quorum_renewal::failed);
}

// Later answers are noted too, for take_gone().
quorum_renewal quorum_renew::note(std::size_t node, stand what) {
  if (nodes_[node] == stand::due) nodes_[node] = what;
  return done_ ? quorum_renewal::wait : decide();
}

quorum_renewal quorum_renew::decide() {
  const std::size_t needed = majority_of(nodes_.size());
  if (kept_votes_.least() >= needed) return finish(quorum_renewal::kept);
  // Whoever has not said otherwise may have kept all of it.
  if (kept_votes_.least() + count(stand::due) + count(stand::unknown) < needed) return finish(quorum_renewal::lost);
  return count(stand::due) == 0 ? finish(quorum_renewal::failed) : quorum_renewal::wait;
}

quorum_renewal quorum_renew::finish(quorum_renewal what) {
  done_ = true;
  kept_ = what == quorum_renewal::kept;
  return what;
}

loss_cause quorum_renew::cause() const noexcept {
  return count(stand::taken) > count(stand::gone) ? loss_cause::taken : loss_cause::gone;
}

std::vector<std::size_t> quorum_renew::take_gone() {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; kept_ && i < nodes_.size(); ++i) {
    if ((nodes_[i] != stand::gone && nodes_[i] != stand::partly) || named_[i]) continue;
    named_[i] = true;
    out.push_back(i);
  }
  return out;
}

}  // namespace holdfast::lock
