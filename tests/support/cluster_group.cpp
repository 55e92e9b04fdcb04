// Implements cluster_group: CLUSTER MEET, ADDSLOTSRANGE (ADDSLOTS before 7.0), REPLICATE, and the moving of slots.
#include "support/cluster_group.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "support/eventually.hpp"
#include "support/loopback.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t slots = 16384;

// The bus has a port of its own, because the usual one, 10000 above, may not exist.
std::unique_ptr<redis_server> start_node(redis_options options, bool replicated, std::uint16_t& bus) {
  // Where there is a failover to wait for, soon; where there is none, a busy machine must not make the nodes give each other up.
  const std::vector<std::string> lines{"cluster-enabled yes", "cluster-config-file nodes.conf",
                                       replicated ? "cluster-node-timeout 2000" : "cluster-node-timeout 30000",
                                       "cluster-replica-validity-factor 0", "repl-ping-replica-period 1"};
  options.config.insert(options.config.begin(), lines.begin(), lines.end());
  options.config.emplace_back();
  for (int attempt = 1;; ++attempt) {
    bus = free_port();
    options.config.back() = "cluster-port " + std::to_string(bus);
    try {
      return std::make_unique<redis_server>(options);
    } catch (const std::runtime_error&) {
      if (attempt == 5) throw;  // somebody else took the port
    }
  }
}

}  // namespace

cluster_group::cluster_group(std::size_t primaries, std::size_t replicas_each, redis_options options)
    : primaries_{primaries}, serves_(slots) {
  for (std::size_t i = 0; i < primaries * (1 + replicas_each); ++i) {
    nodes_.push_back(start_node(options, replicas_each > 0, buses_.emplace_back()));
    ids_.push_back(nodes_.back()->text({"CLUSTER", "MYID"}));
  }
  introduce();
  wait_whole();
}

void cluster_group::introduce() {
  for (std::size_t i = 0; i < primaries_; ++i) {
    const std::size_t first = slots * i / primaries_;
    const std::size_t last = slots * (i + 1) / primaries_ - 1;
    static_cast<void>(nodes_[i]->text({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(last)}));
    static_cast<void>(nodes_[i]->text({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)}));
    std::fill(serves_.begin() + static_cast<long>(first), serves_.begin() + static_cast<long>(last) + 1, i);
  }
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    static_cast<void>(nodes_[i]->text(
        {"CLUSTER", "MEET", "127.0.0.1", std::to_string(nodes_[0]->port()), std::to_string(buses_[0])}));
  }
  const auto known = [&](std::size_t by) {
    const std::string all = nodes_[by]->text({"CLUSTER", "NODES"});
    return std::ranges::all_of(ids_, [&](const std::string& id) { return all.find(id) != std::string::npos; });
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!eventually(20s, [&] { return known(i); })) throw std::runtime_error{"the nodes of a cluster did not meet"};
  }
  for (std::size_t i = primaries_; i < nodes_.size(); ++i) {
    static_cast<void>(nodes_[i]->text({"CLUSTER", "REPLICATE", ids_[i % primaries_]}));
  }
}

void cluster_group::wait_whole() {
  const auto whole = [&](redis_server& node) {
    if (node.text({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) return false;
    const std::string info = node.text({"INFO", "replication"});
    return info.find("role:master") != std::string::npos ? true
                                                         : info.find("master_link_status:up") != std::string::npos;
  };
  for (auto& each : nodes_) {
    if (!eventually(30s, [&] { return whole(*each); })) throw std::runtime_error{"a cluster did not come up"};
  }
  for (std::size_t i = primaries_; i < nodes_.size(); ++i) {
    const bool replica = eventually(20s, [&] { return !is_primary(i); });
    if (!replica) throw std::runtime_error{"a node of a cluster did not become a replica"};
  }
}

bool cluster_group::is_primary(std::size_t index) {
  return nodes_[index]->text({"INFO", "replication"}).find("role:master") != std::string::npos;
}

std::string cluster_group::url() const {
  std::string out = "redis+cluster://";
  for (const auto& each : nodes_) {
    if (!out.ends_with('/')) out += ',';
    out += "127.0.0.1:" + std::to_string(each->port());
  }
  return out;
}

std::uint16_t cluster_group::slot_of(const std::string& key) {
  // An implementation of its own, bit by bit: a second opinion on the library's.
  std::string part = key;
  const auto open = key.find('{');
  if (open != std::string::npos) {
    const auto close = key.find('}', open);
    if (close != std::string::npos && close > open + 1) part = key.substr(open + 1, close - open - 1);
  }
  unsigned crc = 0;
  for (const char c : part) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = ((crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021U : 0U)) & 0xffff;
  }
  return static_cast<std::uint16_t>(crc % slots);
}

std::size_t cluster_group::primary_of(const std::string& key) { return serves_[slot_of(key)]; }

std::size_t cluster_group::primary_of_slot(std::uint16_t slot, std::size_t witness) {
  for (const reply& range : nodes_[witness]->command({"CLUSTER", "SLOTS"}).items) {
    if (range.items[0].number > slot || range.items[1].number < slot) continue;
    const auto port = range.items[2].items[1].number;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i]->port() == port) return i;
    }
  }
  throw std::runtime_error{"nobody serves slot " + std::to_string(slot)};
}

std::string cluster_group::key_at(std::size_t index, const std::string& stem) {
  for (int i = 0;; ++i) {
    std::string key = stem + std::to_string(i);
    if (primary_of(key) == index) return key;
  }
}

void cluster_group::move_slot(std::uint16_t slot, std::size_t from, std::size_t to,
                              const std::function<void()>& halfway) {
  const std::string number = std::to_string(slot);
  // Or the epoch that the target takes may be one that another has already, and an old message of that one's takes the slot back.
  wait_agreed([&](std::size_t i) {
    const std::string info = nodes_[i]->text({"CLUSTER", "INFO"});
    const auto at = info.find("cluster_current_epoch:");
    return info.substr(at, info.find('\r', at) - at);
  });
  redis_server& source = *nodes_[from];
  redis_server& target = *nodes_[to];
  static_cast<void>(target.text({"CLUSTER", "SETSLOT", number, "IMPORTING", ids_[from]}));
  static_cast<void>(source.text({"CLUSTER", "SETSLOT", number, "MIGRATING", ids_[to]}));
  const auto there = source.list({"CLUSTER", "GETKEYSINSLOT", number, "1000"});
  for (std::size_t i = 0; i < there.size() / 2; ++i) move_key(there[i], from, to);
  if (halfway) halfway();
  // Those that came meanwhile, too.
  for (;;) {
    const auto rest = source.list({"CLUSTER", "GETKEYSINSLOT", number, "1000"});
    if (rest.empty()) break;
    for (const std::string& each : rest) move_key(each, from, to);
  }
  static_cast<void>(target.text({"CLUSTER", "SETSLOT", number, "NODE", ids_[to]}));
  static_cast<void>(source.text({"CLUSTER", "SETSLOT", number, "NODE", ids_[to]}));
  serves_[slot] = to;
  wait_agreed([&](std::size_t i) { return std::to_string(primary_of_slot(slot, i)); });
}

void cluster_group::point_to(std::uint16_t slot, std::size_t believer, std::size_t serving) {
  static_cast<void>(nodes_[believer]->text({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", ids_[serving]}));
}

void cluster_group::wait_agreed(const std::function<std::string(std::size_t)>& about) {
  const auto agreed = [&] {
    const std::string first = about(0);
    for (std::size_t i = 1; i < primaries_; ++i) {
      if (about(i) != first) return false;
    }
    return true;
  };
  if (!eventually(20s, agreed)) throw std::runtime_error{"the primaries of a cluster do not agree"};
}

std::vector<std::string> cluster_group::keys() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i]->pid() < 0 || !is_primary(i)) continue;
    const auto some = nodes_[i]->keys();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<std::string> cluster_group::keys_without_expiry() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i]->pid() < 0 || !is_primary(i)) continue;
    const auto some = nodes_[i]->keys_without_expiry();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

bool cluster_group::wait_failover(std::size_t index, std::chrono::milliseconds limit) {
  const std::size_t replica = index + primaries_;
  return eventually(limit, [&] { return is_primary(replica); });
}

bool cluster_group::wait_replica(std::size_t index, std::chrono::milliseconds limit) {
  return eventually(limit, [&] {
    const std::string info = nodes_[index]->text({"INFO", "replication"});
    return info.find("role:slave") != std::string::npos && info.find("master_link_status:up") != std::string::npos;
  });
}

void cluster_group::move_key(const std::string& key, std::size_t from, std::size_t to) {
  static_cast<void>(nodes_[from]->text({"MIGRATE", "127.0.0.1", std::to_string(nodes_[to]->port()), key, "0", "5000"}));
}

}  // namespace holdfast::test
