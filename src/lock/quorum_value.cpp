#include "lock/quorum_value.hpp"

#include "lock/quorum_majority.hpp"

#include <algorithm>

namespace holdfast::lock {

std::size_t quorum_read::count(stand what) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, what, &node_state::at));
}

std::size_t quorum_read::answers() const noexcept { return count(stand::known); }

quorum_reading quorum_read::answered(std::size_t node, std::uint64_t version) {
  if (nodes_[node].at == stand::due) nodes_[node] = {stand::known, version};
  return decide();
}

quorum_reading quorum_read::failed(std::size_t node) {
  if (nodes_[node].at == stand::due) nodes_[node].at = stand::silent;
  return decide();
}

quorum_reading quorum_read::timer() {
  for (node_state& each : nodes_) {
    if (each.at == stand::due) each.at = stand::silent;
  }
  return decide();
}

quorum_reading quorum_read::decide() {
  if (done_) return quorum_reading::wait;
  const std::size_t needed = majority_of(nodes_.size());
  std::uint64_t greatest = 0;
  for (const node_state& each : nodes_) {
    if (each.at != stand::known) continue;
    greatest = std::max(greatest, each.version);
    const auto same = std::ranges::count_if(
        nodes_, [&](const node_state& other) { return other.at == stand::known && other.version == each.version; });
    if (static_cast<std::size_t>(same) < needed) continue;
    done_ = true;
    version_ = each.version;
    return quorum_reading::agreed;
  }
  if (count(stand::due) != 0) {
    const bool hopeless = answers() + count(stand::due) < needed;
    done_ = hopeless;
    return hopeless ? quorum_reading::failed : quorum_reading::wait;
  }
  done_ = true;
  version_ = greatest;
  return answers() >= needed ? quorum_reading::mixed : quorum_reading::failed;
}

std::size_t quorum_read::node() const noexcept {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].at == stand::known && nodes_[i].version == version_) return i;
  }
  return 0;
}

bool quorum_read::lags() const noexcept {
  return std::ranges::any_of(
      nodes_, [&](const node_state& each) { return each.at == stand::known && each.version < version_; });
}

quorum_writing quorum_write::answered(std::size_t node, bool counts) {
  if (!nodes_[node]) nodes_[node] = counts;
  return decide();
}

quorum_writing quorum_write::timer() {
  for (auto& each : nodes_) {
    if (!each) each = false;
  }
  return decide();
}

std::size_t quorum_write::written() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(nodes_, std::optional{true}));
}

quorum_writing quorum_write::decide() {
  if (done_) return quorum_writing::wait;
  const std::size_t needed = majority_of(nodes_.size());
  const auto due = static_cast<std::size_t>(std::ranges::count(nodes_, std::optional<bool>{}));
  if (written() < needed && written() + due >= needed) return quorum_writing::wait;
  done_ = true;
  return written() >= needed ? quorum_writing::written : quorum_writing::failed;
}

std::uint64_t middle_of(std::vector<std::uint64_t> clocks) {
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

}  // namespace holdfast::lock
