#include "lock/quorum_round.hpp"

#include <algorithm>

namespace holdfast::lock {

std::size_t quorum_round::count(stand what) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, what, &node_state::at));
}

std::size_t quorum_round::answers() const noexcept { return count(stand::told); }

std::vector<std::size_t> quorum_round::saying(std::string_view what) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].at == stand::told && nodes_[i].word == what) out.push_back(i);
  }
  return out;
}

std::vector<std::size_t> quorum_round::unheard() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].at != stand::told) out.push_back(i);
  }
  return out;
}

round_end quorum_round::says(std::size_t node, std::string_view what) {
  if (end_ != round_end::open || nodes_[node].at != stand::due) return end_;
  nodes_[node] = {stand::told, std::string{what}};
  return decide();
}

round_end quorum_round::failed(std::size_t node) {
  if (end_ != round_end::open || nodes_[node].at != stand::due) return end_;
  nodes_[node].at = stand::silent;
  return decide();
}

round_end quorum_round::timer(runtime::time_point now) {
  if (end_ != round_end::open || now < limit_) return end_;
  for (node_state& each : nodes_) {
    if (each.at == stand::due) each.at = stand::silent;
  }
  return decide();
}

round_end quorum_round::decide() {
  const std::size_t needed = majority_of(nodes_.size());
  std::size_t most = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].at != stand::told) continue;
    const std::size_t same = saying(nodes_[i].word).size();
    if (same > most) speaker_ = i;
    most = std::max(most, same);
  }
  if (most >= needed) {
    end_ = round_end::agreed;
  } else if (nodes_.size() - count(stand::silent) < needed) {
    end_ = round_end::unreachable;
  } else if (answers() >= needed && most + count(stand::due) < needed) {
    end_ = round_end::split;
  }
  return end_;
}

}  // namespace holdfast::lock
