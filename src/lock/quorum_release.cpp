#include "lock/quorum_release.hpp"

#include <algorithm>

namespace holdfast::lock {

std::size_t quorum_release::count(stand what) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, what));
}

quorum_outcome quorum_release::answered(std::size_t node, bool released) {
  return note(node, released ? stand::released : stand::not_mine);
}

quorum_outcome quorum_release::failed(std::size_t node) { return note(node, stand::silent); }

quorum_outcome quorum_release::timer(runtime::time_point now) {
  if (done_ || now < limit_) return quorum_outcome::wait;
  std::ranges::replace(nodes_, stand::due, stand::silent);
  return decide();
}

// An answer that comes after the limit still tells that the node need not be asked again.
quorum_outcome quorum_release::note(std::size_t node, stand what) {
  if (nodes_[node] == stand::due || nodes_[node] == stand::silent) nodes_[node] = what;
  return done_ ? quorum_outcome::wait : decide();
}

quorum_outcome quorum_release::decide() {
  const std::size_t needed = majority_of(nodes_.size());
  const std::size_t released = count(stand::released);
  const std::size_t not_mine = count(stand::not_mine);
  auto what = quorum_outcome::wait;
  if (released >= needed) {
    what = quorum_outcome::released;
  } else if (nodes_.size() - not_mine < needed) {
    what = quorum_outcome::was_lost;
  } else if (count(stand::due) == 0) {
    what = released + not_mine >= needed ? quorum_outcome::released : quorum_outcome::unknown;
  }
  done_ = what != quorum_outcome::wait;
  return what;
}

std::vector<std::size_t> quorum_release::unanswered() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] == stand::due || nodes_[i] == stand::silent) out.push_back(i);
  }
  return out;
}

}  // namespace holdfast::lock
