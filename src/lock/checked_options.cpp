#include "lock/checked_options.hpp"

#include "lock/names.hpp"

#include <algorithm>

namespace holdfast::lock {
namespace {

using std::chrono::milliseconds;

failure wrong(std::string_view option, milliseconds given, std::string_view allowed) {
  return {errc::bad_option,
          std::string{option} + " is " + std::to_string(given.count()) + " ms; " + std::string{allowed}};
}

// Ten years: longer waits are a mistake of units, and stay clear of overflow.
constexpr milliseconds longest_wait{std::chrono::hours{24 * 3650}};

bool out_of_range(milliseconds given, milliseconds least, milliseconds most) { return given < least || given > most; }

}  // namespace

result<void> check_ttl(milliseconds ttl) {
  if (out_of_range(ttl, shortest_ttl, longest_ttl)) return wrong("ttl", ttl, "it must be between 100 ms and 365 days");
  return {};
}

result<terms> check(const options& how) {
  if (auto ttl = check_ttl(how.ttl); !ttl) return ttl.failure();
  terms out;
  if (how.max_hold && out_of_range(*how.max_hold, shortest_ttl, longest_ttl)) {
    return wrong("max_hold", *how.max_hold, "it must be between 100 ms and 365 days");
  }
  out.max_hold = how.max_hold.value_or(milliseconds{0});
  // The server, too, forgets a stuck holder at max_hold.
  const milliseconds ttl = std::min(how.ttl, how.max_hold.value_or(how.ttl));
  out.ttl = ttl;
  const milliseconds margin = how.stop_margin.value_or(std::min(ttl / 10, milliseconds{1000}));
  if (margin < milliseconds{0} || margin >= ttl - margin) {
    return wrong("stop_margin", margin, "it must not be negative, and less than half of ttl and of max_hold");
  }
  out.stop_margin = margin;
  if (how.wait) {
    if (out_of_range(*how.wait, milliseconds{1}, longest_wait)) {
      return wrong("wait", *how.wait, "it must be between 1 ms and ten years; to not wait at all use the try_ calls");
    }
    out.wait = *how.wait;
    out.forever = false;
  }
  if (how.retry.first < milliseconds{1} || how.retry.most < how.retry.first || how.retry.most > longest_wait) {
    return wrong("retry.first", how.retry.first, "it must be at least 1 ms and at most retry.most");
  }
  if (how.replicas && (how.replicas->value < majority.value || how.replicas->value > most_replicas)) {
    return failure{errc::bad_option, "replicas is " + std::to_string(how.replicas->value) +
                                         "; it must be a number from 0 to 1000, or holdfast::majority"};
  }
  if (!how.owner.empty()) {
    if (auto owner = check_owner(how.owner); !owner) return owner.failure();
  }
  out.renew = how.renew;
  out.fence = how.fence;
  out.queue = how.queue;
  out.retry = how.retry;
  return out;
}

}  // namespace holdfast::lock
