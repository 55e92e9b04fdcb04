// Several independent redis-servers, as a quorum's nodes; each behind a gate of its own, if asked for.
//
// They are ready to vote when the constructor returns, as nodes that have long been in use: each has a seat (docs/quorum.md)
// that says so. `fresh` leaves that out. Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <holdfast/settings.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "support/gate.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

struct quorum_shape {
  std::size_t nodes = 5;
  std::chrono::milliseconds max_ttl{3000};
  bool gates = false;
  bool fresh = false;
  redis_options each{};
};

class quorum_group {
 public:
  explicit quorum_group(quorum_shape shape = {});

  [[nodiscard]] std::size_t size() const { return servers_.size(); }
  [[nodiscard]] redis_server& node(std::size_t which) { return *servers_.at(which); }
  [[nodiscard]] gate& door(std::size_t which) { return *gates_.at(which); }

  // Through the gates where there are some.
  [[nodiscard]] std::string url() const;
  // The URL alone, quietly, with this quorum's max_ttl and patience for a loaded machine.
  [[nodiscard]] settings where() const;

  // Lets a node vote at once, as it stands.
  void seat(std::size_t which);

  // On how many nodes the key is there; whose it is there.
  [[nodiscard]] std::size_t holding(const std::string& key);
  [[nodiscard]] std::string owner_at(std::size_t which, const std::string& key);
  // What is left on nodes that run, but for seats and fence counters, which outlive locks by design.
  [[nodiscard]] std::vector<std::string> left_behind();
  [[nodiscard]] std::vector<std::string> without_expiry();

 private:
  quorum_shape shape_;
  std::vector<std::unique_ptr<redis_server>> servers_;
  std::vector<std::unique_ptr<gate>> gates_;
};

}  // namespace holdfast::test
