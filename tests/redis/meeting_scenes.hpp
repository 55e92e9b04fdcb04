// What the scenes of latch and barrier share, on every deployment: questions about what they have on the servers.
//
// Thread safety: that of deployment_under_test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "redis/deployment.hpp"

namespace holdfast::test {

struct meeting_scenes : deployment_scenes {
  meeting_scenes() : deployment_scenes{3s} {}

  // What a majority has in a field, or nothing.
  [[nodiscard]] std::string field(const std::string& key, const std::string& name) {
    std::map<std::string, std::size_t> told;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const auto got = servers[i].command({"HGET", key, name});
      if (!got.is_nil() && ++told[got.text] > servers.size() / 2) return got.text;
    }
    return {};
  }
  // Only the meetings themselves and, on one server, the ids of who has come: no guard, nobody who waits.
  [[nodiscard]] bool only(const std::vector<std::string>& names) {
    auto keys = names;
    for (const std::string& name : names) {
      if (!servers.is_quorum()) keys.push_back("{" + name + "}:seen");
    }
    return servers.nothing_left_but(keys);
  }
  // By and by no key is there: on one server not even a fence counter, which no meeting needs.
  [[nodiscard]] bool all_goes() {
    return eventually(patience, [&] { return (servers.is_quorum() ? servers.left() : servers[0].keys()).empty(); });
  }
  // As if they had lost their data; a node keeps its seat, or it would not vote.
  void forget(const std::string& key) {
    servers.command(servers.is_quorum() ? std::vector<std::string>{"DEL", key} : std::vector<std::string>{"FLUSHALL"});
  }
  // Ids are remembered for 5 × (connect_timeout + command_timeout), and the ttl is not shorter: 1.5 s here.
  [[nodiscard]] settings hasty() {
    settings how = servers.where();
    how.connect_timeout = 100ms;
    how.command_timeout = 200ms;
    return how;
  }
};

}  // namespace holdfast::test
