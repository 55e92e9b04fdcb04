// One server or a quorum of several, so that a scene which is the same on every deployment is written once.
//
// A scene looks at all servers, or at none. What a call leaves on one server is there when the call returns: it is
// asked for once. A quorum answers when a majority has answered, and the other nodes follow: they are waited for.
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {

class deployment_under_test {
 public:
  // A single server is no node: it has no seat, and its clients know nothing of a max_ttl.
  explicit deployment_under_test(std::size_t servers, std::chrono::milliseconds max_ttl = 60s)
      : group_{{.nodes = servers, .max_ttl = max_ttl, .fresh = servers == 1}} {}

  [[nodiscard]] bool is_quorum() const { return group_.size() > 1; }
  [[nodiscard]] std::size_t size() const { return group_.size(); }
  [[nodiscard]] redis_server& operator[](std::size_t which) { return group_.node(which); }
  // For what only a quorum's nodes can be asked.
  [[nodiscard]] quorum_group& nodes() { return group_; }
  [[nodiscard]] settings where() { return is_quorum() ? group_.where() : at(group_.node(0)); }

  // The same command to every server, which must take it.
  void command(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i < size(); ++i) {
      const reply got = group_.node(i).command(args);
      if (got.is_error()) throw std::runtime_error{args.at(0) + ": " + got.text};
    }
  }

  // Whether it is so on every server: as the call before has left it; for soon_all within patience, on one server too.
  template <class Predicate>
  [[nodiscard]] bool all(Predicate&& is_so) {
    return eventually(is_quorum() ? patience : 0ms, [&] { return now_on_all(is_so); });
  }
  template <class Predicate>
  [[nodiscard]] bool soon_all(Predicate&& is_so) {
    return eventually(patience, [&] { return now_on_all(is_so); });
  }

  [[nodiscard]] bool all_have(const std::string& key) {
    return all([&](redis_server& each) { return each.number({"EXISTS", key}) == 1; });
  }
  [[nodiscard]] bool key_goes(const std::string& key) {
    return soon_all([&](redis_server& each) { return each.number({"EXISTS", key}) == 0; });
  }
  // So many wait under the name.
  [[nodiscard]] bool waiting(const std::string& name, long long count) {
    return soon_all([&](redis_server& each) { return each.number({"ZCARD", waiters_of(name)}) == count; });
  }

  // What locks leave, on all servers together: fence counters outlive them by design, as do a quorum's seats.
  [[nodiscard]] std::vector<std::string> left() {
    if (is_quorum()) return group_.left_behind();
    auto keys = group_.node(0).keys();
    std::erase_if(keys, [](const std::string& key) { return key.starts_with("holdfast:fence:"); });
    return keys;
  }
  [[nodiscard]] bool nothing_left_but(const std::vector<std::string>& keys) {
    return eventually(is_quorum() ? patience : 0ms, [&] {
      return std::ranges::all_of(left(), [&](const std::string& key) { return std::ranges::count(keys, key) != 0; });
    });
  }
  [[nodiscard]] bool nothing_left() { return nothing_left_but({}); }
  [[nodiscard]] std::vector<std::string> without_expiry() { return group_.without_expiry(); }

 private:
  template <class Predicate>
  bool now_on_all(Predicate& is_so) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_so(group_.node(i))) return false;
    }
    return true;
  }

  quorum_group group_;
};

// A deployment, and two processes' worth of clients. The parameter is the number of servers.
struct deployment_scenes : testing::TestWithParam<std::size_t> {
  explicit deployment_scenes(std::chrono::milliseconds max_ttl = 60s) : servers{GetParam(), max_ttl} {}

  deployment_under_test servers;
  client redis{servers.where()};
  client other{servers.where()};
};

inline std::string deployment_name(const testing::TestParamInfo<std::size_t>& of) {
  return of.param == 1 ? "one_server" : "quorum_of_" + std::to_string(of.param);
}

}  // namespace holdfast::test
