// Which server this is among others: its role, its replicas, a cluster.
#include "doctor/judge.hpp"
#include "doctor/text.hpp"

#include <algorithm>

namespace holdfast::doctor {
namespace {

constexpr std::int64_t old_lag = 10;  // seconds: what min-replicas-max-lag is by default

struct replica_lag {
  std::int64_t online = 0;
  std::int64_t worst = 0;
};

// From slave0:ip=…,port=…,state=online,offset=…,lag=1
replica_lag lag_of(const info& from, std::int64_t count) {
  replica_lag out;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto line = from.text("slave" + std::to_string(i));
    if (line.find("state=online") == std::string_view::npos) continue;
    ++out.online;
    const auto at = line.find("lag=");
    if (at == std::string_view::npos) continue;
    const auto rest = line.substr(at + 4);
    out.worst = std::max(out.worst, as_number(rest.substr(0, rest.find(','))).value_or(0));
  }
  return out;
}

finding about_replicas(severity how_bad, std::string seen, std::string why = {}, std::string fix = {}) {
  return {how_bad, "replicas", std::move(seen), std::move(why), std::move(fix)};
}

// Fewer than the client waits for.
opinion judge_shortfall(const facts& seen, std::int64_t online) {
  const int needed = seen.replicas == majority ? 1 : seen.replicas.value;
  if (online >= needed) return std::nullopt;
  const std::string asked = seen.replicas == majority ? "majority" : std::to_string(needed);
  return about_replicas(
      severity::danger, std::to_string(online) + " replicas online, and this client's setting replicas is " + asked,
      "every lock is given back for want of replicas (not_replicated): locks cannot be had",
      "bring the replicas back (redis-cli INFO replication), or set replicas to " + std::to_string(online));
}

constexpr auto hazard =
    "replication is asynchronous: a replica that is promoted may not have a lock that was just granted, and two hold "
    "it";

}  // namespace

std::optional<finding> judge_role(const info& from) {
  const auto role = from.text("role");
  if (role.empty()) return std::nullopt;
  if (role != "slave") return finding{severity::fine, "role", "a primary"};
  const std::string host{from.text("master_host")};
  const std::string port{from.text("master_port")};
  return finding{severity::danger, "role", "this Redis is a replica", "it takes no locks",
                 "connect to the primary" + (host.empty() ? "" : ", HOLDFAST_URL=redis://" + host + ":" + port)};
}

opinion judge_replicas(const facts& seen) {
  if (!seen.info.value) return std::nullopt;
  const info& from = *seen.info.value;
  if (from.text("role") == "slave") return about_replicas(severity::fine, "not looked at: this is a replica itself");
  const auto count = from.number("connected_slaves");
  if (!count) return std::nullopt;
  const auto least = seen.config_number("min-replicas-to-write");
  // INFO tells this field only if both min-replicas settings are on.
  const auto good = from.number("min_slaves_good_slaves");
  if (least && good && *good < *least) {
    return about_replicas(
        severity::danger,
        std::to_string(*good) + " good replicas, and min-replicas-to-write is " + std::to_string(*least),
        "Redis refuses every write (NOREPLICAS): locks cannot be had",
        "bring the replicas back, or CONFIG SET min-replicas-to-write " + std::to_string(*good));
  }
  if (*count == 0 && seen.as == deployment::quorum) {
    return about_replicas(severity::fine, "no replicas: the other nodes of the quorum stand in");
  }
  const replica_lag lag = lag_of(from, *count);
  if (auto short_of = judge_shortfall(seen, lag.online)) return short_of;
  if (*count == 0 && seen.as == deployment::sentinel) {
    return about_replicas(
        severity::warning, "no replicas, behind Sentinels",
        "there is nobody that the Sentinels could promote: when this host is down, no lock can be had",
        "on a second host: REPLICAOF with this one's address; then min-replicas-to-write 1 on both");
  }
  if (*count == 0) {
    return about_replicas(severity::notice, "no replicas",
                          "when this host is down, no lock can be had until it is back; a failover is not possible",
                          "on a second host: REPLICAOF with this one's address; then min-replicas-to-write 1 here");
  }
  const std::string figure = std::to_string(*count) + (*count == 1 ? " replica, " : " replicas, ") +
                             std::to_string(lag.online) + " online, lag " + std::to_string(lag.worst) + " s";
  if (lag.online < *count || lag.worst > old_lag) {
    return about_replicas(severity::warning, figure, hazard, "look at the replicas' logs: redis-cli INFO replication");
  }
  const bool off = least ? *least == 0 : !good;
  if (!off) return about_replicas(severity::fine, figure + ", min-replicas-to-write is on");
  return about_replicas(severity::warning, figure + ", min-replicas-to-write is 0",
                        std::string{hazard} + "; a primary that is cut off goes on granting" +
                            (seen.as == deployment::sentinel ? ", also when the Sentinels have promoted another" : ""),
                        "CONFIG SET min-replicas-to-write 1 and CONFIG SET min-replicas-max-lag 10" +
                            std::string{seen.as == deployment::sentinel ? ", on the replicas as well" : ""} +
                            ": it narrows the window, fencing numbers close it");
}

opinion judge_cluster(const facts& seen) {
  if (!seen.info.value || !seen.info.value->has("cluster_enabled")) return std::nullopt;
  if (seen.info.value->text("cluster_enabled") == "0") return finding{severity::fine, "cluster", "not a cluster"};
  if (seen.as == deployment::cluster) return finding{severity::fine, "cluster", "a node of a Redis Cluster"};
  return finding{severity::danger, "cluster", "this is a node of a Redis Cluster, and the URL says that it is alone",
                 "locks in slots of other nodes are refused (MOVED)", "write redis+cluster:// instead of redis://"};
}

// Two names for one server would be two votes of one: a majority that is none.
opinion judge_quorum(const facts& seen) {
  if (!seen.info.value) return std::nullopt;
  if (seen.as != deployment::quorum) return finding{severity::fine, "quorum", "not a node of a quorum"};
  if (seen.same_as.empty()) return finding{severity::fine, "quorum", "a node of a quorum"};
  return finding{severity::danger, "quorum", "the same server as " + seen.same_as,
                 "one server with two votes: two clients can each have a majority",
                 "name every node once, by the same URL on all clients"};
}

finding judge_unreachable(std::string_view why, deployment as) {
  return {severity::danger, "reachable", std::string{why},
          as == deployment::quorum ? "it does not vote; with half of the nodes down no lock can be had"
                                   : "locks in its slots cannot be had",
          "start it, or mend the way to it"};
}

}  // namespace holdfast::doctor
