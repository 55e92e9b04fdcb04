#include <holdfast/doctor.hpp>

#include "client/gather.hpp"
#include "client/lease_access.hpp"
#include "doctor/judge.hpp"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

result<void> check(const examine_options& how) {
  if (how.clock_watch < 0ms || how.clock_watch > 1min)
    return failure{errc::bad_option, "clock_watch is not from 0 to a minute"};
  if (how.pings < 1 || how.pings > 10'000) return failure{errc::bad_option, "pings is not from 1 to 10,000"};
  if (how.ttl <= 0ms) return failure{errc::bad_option, "ttl is not positive"};
  return {};
}

}  // namespace

result<diagnosis> examine(client& redis, const examine_options& how) try {
  if (auto good = check(how); !good) return good.failure();
  const auto owner = detail::lease_access::core_of(redis);  // kept: the client may be destroyed meanwhile
  // A quorum's nodes are servers of their own, each with its own faults: one diagnosis would hide four.
  if (owner->where().deployment == deployment::quorum) {
    return failure{errc::bad_option, "examine looks at one server; give it the nodes of " + owner->where().display() +
                                         " one by one, each by its own redis:// URL"};
  }
  const auto seen = detail::gather(owner, how);
  if (!seen) return seen.failure();
  diagnosis out;
  out.where = owner->where().display();
  if (seen->info.value) out.server = doctor::server_name(*seen->info.value);
  out.findings = doctor::judge(*seen);
  return out;
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

}  // namespace holdfast
