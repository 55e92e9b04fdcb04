#include <holdfast/doctor.hpp>

#include "client/command_call.hpp"
#include "client/gather.hpp"
#include "client/lease_access.hpp"
#include "client/unexpected.hpp"
#include "doctor/judge.hpp"

#include <future>
#include <map>

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using seen_facts = result<doctor::facts>;

result<void> check(const examine_options& how) {
  if (how.clock_watch < 0ms || how.clock_watch > 1min)
    return failure{errc::bad_option, "clock_watch is not from 0 to a minute"};
  if (how.pings < 1 || how.pings > 10'000) return failure{errc::bad_option, "pings is not from 1 to 10,000"};
  if (how.ttl <= 0ms) return failure{errc::bad_option, "ttl is not positive"};
  return {};
}

diagnosis conclude(const settings& where, const doctor::facts& seen) {
  diagnosis out;
  out.where = where.display();
  if (seen.info.value) out.server = doctor::server_name(*seen.info.value);
  out.findings = doctor::judge(seen);
  return out;
}

// The servers of a deployment of several, each as if it were alone; also those that never answered us.
std::vector<settings> servers_of(detail::core& owner) {
  std::vector<settings> out;
  const auto guard = owner.lock();
  for (const net::connection* each : owner.nodes().primaries()) {
    out.push_back(each->how());
    out.back().on_warning = [](const warning& /*known*/) {};  // what endangers locks there is among the findings
  }
  return out;
}

std::vector<seen_facts> gather_all(const std::vector<settings>& servers, const examine_options& how, deployment as) {
  std::vector<std::future<seen_facts>> looking;
  looking.reserve(servers.size());
  for (const settings& each : servers) {
    looking.push_back(std::async(std::launch::async, [&each, how, as]() -> seen_facts {
      client alone{each};
      return detail::gather(detail::lease_access::core_of(alone), how, as);
    }));
  }
  std::vector<seen_facts> out;
  out.reserve(looking.size());
  for (auto& each : looking) out.push_back(each.get());
  return out;
}

// A server tells its run id in INFO: the same one from two nodes is one server.
void find_the_same(const std::vector<settings>& servers, std::vector<seen_facts>& all) {
  std::map<std::string, std::string> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i] || !all[i]->info.value) continue;
    const std::string id{all[i]->info.value->text("run_id")};
    if (id.empty()) continue;
    const auto [at, first] = known.emplace(id, servers[i].display());
    if (!first) all[i]->same_as = at->second;
  }
}

}  // namespace

result<diagnosis> examine(client& redis, const examine_options& how) try {
  if (auto good = check(how); !good) return good.failure();
  const auto owner = detail::lease_access::core_of(redis);  // kept: the client may be destroyed meanwhile
  // A quorum's nodes are servers of their own, each with its own faults: one diagnosis would hide four.
  if (owner->where().deployment == deployment::quorum) {
    return failure{errc::bad_option, "examine looks at one server; for the nodes of " + owner->where().display() +
                                         " there is examine_all"};
  }
  const auto seen = detail::gather(owner, how, owner->where().deployment);
  if (!seen) return seen.failure();
  return conclude(owner->where(), *seen);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<std::vector<diagnosis>> examine_all(client& redis, const examine_options& how) try {
  const auto owner = detail::lease_access::core_of(redis);
  const deployment as = owner->where().deployment;
  if (as != deployment::cluster && as != deployment::quorum) {
    auto only = examine(redis, how);
    if (!only) return only.failure();
    return std::vector{std::move(*only)};
  }
  if (auto good = check(how); !good) return good.failure();
  // It tells whether anybody is there, and brings a Cluster's map.
  if (auto up = detail::ask(owner, {"PING"}); !up) return up.failure();
  const std::vector<settings> servers = servers_of(*owner);
  std::vector<seen_facts> all = gather_all(servers, how, as);
  if (as == deployment::quorum) find_the_same(servers, all);
  std::vector<diagnosis> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]) {
      out.push_back(conclude(servers[i], *all[i]));
    } else {
      out.push_back({servers[i].display(), {}, {doctor::judge_unreachable(all[i].failure().detail, as)}});
    }
  }
  return out;
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

}  // namespace holdfast
