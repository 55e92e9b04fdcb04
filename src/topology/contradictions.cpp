#include "topology/contradictions.hpp"

namespace holdfast::topology {
namespace {

std::optional<contradiction> in_sentinel(const settings& how) {
  if (how.primary_name.empty()) return contradiction{{}, "Sentinels without the name of a primary (primary_name)"};
  return std::nullopt;
}

std::optional<contradiction> in_cluster(const settings& how) {
  if (how.database != 0) {
    return contradiction{"database", "is " + std::to_string(how.database) +
                                         ", and a Redis Cluster has only 0; tell locks apart by a prefix"};
  }
  if (!how.scripts) return contradiction{"scripts", "is off, and a Redis Cluster needs scripts"};
  return std::nullopt;
}

std::optional<contradiction> in_quorum(const settings& how) {
  if (how.hosts.size() < 3) {
    return contradiction{{}, "a quorum has three nodes or more, as in redis+quorum://n1,n2,n3"};
  }
  if (how.max_ttl < std::chrono::milliseconds{100}) {
    return contradiction{"max_ttl", "is less than 100ms, the shortest ttl that there is"};
  }
  if (!how.scripts) return contradiction{"scripts", "is off, and a quorum needs scripts"};
  if (how.replicas.value != 0) {
    return contradiction{"replicas", "is set, and a quorum has none: its majority of nodes is what keeps a lock"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<contradiction> find_contradiction(const settings& how) {
  if (how.deployment == deployment::single) return std::nullopt;
  if (how.hosts.empty()) return contradiction{{}, "a deployment of several servers, and settings::hosts names none"};
  if (how.transport == transport::unix_socket) {
    return contradiction{{}, "several servers are reached by TCP or TLS, not by a Unix socket"};
  }
  switch (how.deployment) {
    case deployment::single:
      break;
    case deployment::sentinel:
      return in_sentinel(how);
    case deployment::cluster:
      return in_cluster(how);
    case deployment::quorum:
      return in_quorum(how);
  }
  return std::nullopt;
}

result<void> check_deployment(const settings& how) {
  const auto found = find_contradiction(how);
  if (!found) return {};
  return failure{errc::bad_option, found->key.empty() ? found->why : std::string{found->key} + " " + found->why};
}

}  // namespace holdfast::topology
