// A Redis Cluster of the test's own: primaries with a replica each, real redis-server processes on free loopback ports.
//
// Whole when the constructor returns: every node knows all the others, all slots are served, and the replicas are in step.
// Node i < primaries() is a primary at the start and has replica i + primaries(). Gone with the object. Thread safety: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/redis_server.hpp"

namespace holdfast::test {

class cluster_group {
 public:
  explicit cluster_group(std::size_t primaries = 3, std::size_t replicas_each = 1, redis_options options = {});

  [[nodiscard]] std::string url() const;  // redis+cluster://… with all nodes
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] redis_server& node(std::size_t index) { return *nodes_[index]; }

  // By what node `witness` says.
  [[nodiscard]] std::size_t primary_of_slot(std::uint16_t slot, std::size_t witness);
  [[nodiscard]] std::size_t primary_of(const std::string& key);  // at the start, and after move_slot
  [[nodiscard]] static std::uint16_t slot_of(const std::string& key);
  // A key like `<stem>3` that node `index` serves, by the present map.
  [[nodiscard]] std::string key_at(std::size_t index, const std::string& stem);

  // Moves a slot with its keys, as redis-cli does: IMPORTING, MIGRATING, MIGRATE of each key, NODE. `halfway` runs when the
  // first half of the keys has moved.
  // Makes one node believe that another serves a slot, which must have no keys there.
  void point_to(std::uint16_t slot, std::size_t believer, std::size_t serving);
  void move_slot(std::uint16_t slot, std::size_t from, std::size_t to, const std::function<void()>& halfway = {});

  // One key of a slot that is on its way, by MIGRATE.
  void move_key(const std::string& key, std::size_t from, std::size_t to);

  // All that are primaries by their own word.
  [[nodiscard]] std::vector<std::string> keys();
  [[nodiscard]] std::vector<std::string> keys_without_expiry();

  // Until the replica of `index` has taken over. False: not within the limit.
  [[nodiscard]] bool wait_failover(std::size_t index, std::chrono::milliseconds limit);
  // Until node `index`, which was a primary, is somebody's replica and in step.
  [[nodiscard]] bool wait_replica(std::size_t index, std::chrono::milliseconds limit);

 private:
  void introduce();
  void wait_whole();
  // Until all primaries say the same.
  void wait_agreed(const std::function<std::string(std::size_t index)>& about);
  [[nodiscard]] bool is_primary(std::size_t index);

  std::size_t primaries_;
  std::vector<std::unique_ptr<redis_server>> nodes_;
  std::vector<std::uint16_t> buses_;
  std::vector<std::string> ids_;
  std::vector<std::size_t> serves_;  // slot -> node
};

}  // namespace holdfast::test
