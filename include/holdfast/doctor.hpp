// Looks at a deployment and says what endangers locks on it: the library behind `holdfast doctor`.
//
//   holdfast::client redis{"redis://cache-1"};
//   for (const auto& each : holdfast::examine(redis).value().findings) print(each.id, each.seen, each.fix);
//
// It asks (INFO, CONFIG GET, TIME, PING, SLOWLOG GET, ACL DRYRUN) and changes nothing. Where ACL DRYRUN is not there or not
// allowed, the rights are tried out in one script on keys of a made-up name, which leaves nothing behind; refusals
// then show in ACL LOG. A question that the server does not allow becomes a finding that says so; the others go on.
// Every id is explained in docs/operate.md, "doctor". Texts never hold a password.
//
// Thread safety: like the client's calls, from any thread; blocks for `clock_watch` and some hundred round trips.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/result.hpp>
#include <holdfast/severity.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast {

struct finding {
  severity how_bad{};
  std::string id;     // stable, one finding for each: "eviction", "clock_steps", …
  std::string seen;   // "maxmemory-policy is allkeys-lru"
  std::string why{};  // what it does to locks; empty when fine
  std::string fix{};  // a command to paste into redis-cli, or what else to do; empty when fine
  bool known = true;  // false: the server did not let us look
};

struct diagnosis {
  std::string where;   // settings::display()
  std::string server;  // "redis 7.0.15"; empty if it did not say
  std::vector<finding> findings;

  [[nodiscard]] severity worst() const noexcept;
  [[nodiscard]] std::size_t count(severity how_bad) const noexcept;
};

struct examine_options {
  // How long the server's clock is watched for steps and for running fast or slow. Up to a minute.
  std::chrono::milliseconds clock_watch{1000};
  // How many PINGs are timed, 1 to 10,000.
  unsigned pings = 100;
  // The shortest ttl in use: round trips are judged against it.
  std::chrono::milliseconds ttl{30'000};
};

// Fails with what a call of the client fails with (unreachable, refused, …) when there is no server to look at, and with
// `bad_option`.
result<diagnosis> examine(client& redis, const examine_options& how = {});

// Every server that has locks of its own, at the same time: the only one, the primaries of a Redis Cluster, the nodes of a quorum. One
// that cannot be looked at has the finding `reachable` and no other; when none can, this fails as examine() does.
result<std::vector<diagnosis>> examine_all(client& redis, const examine_options& how = {});

}  // namespace holdfast
