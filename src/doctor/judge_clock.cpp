// The server's clock: how far it is from ours, and whether it runs evenly.
//
// The server read its clock somewhere between the sending of TIME and its answer. So between two answers i < j at least
// sent[j] - received[i] and at most received[j] - sent[i] has passed here; only what lies outside of that is proven.
#include "doctor/judge.hpp"
#include "doctor/text.hpp"

#include <algorithm>

namespace holdfast::doctor {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Leases are counted with 1 % drift (docs/guarantees.md).
constexpr double allowed_drift = 0.01;
// Below this nothing is said: the clocks' own grain, and a scheduler's.
constexpr milliseconds least_step{5};

constexpr milliseconds worth_knowing{500};
constexpr milliseconds worth_mending{5000};

struct oddity {
  nanoseconds excess{};  // what the server's clock went too far (+) or not far enough (-), proven
  nanoseconds elapsed{};
};

oddity between(const clock_sample& first, const clock_sample& second) {
  const nanoseconds told = second.server - first.server;
  const nanoseconds most = second.received - first.sent;
  const nanoseconds least = second.sent - first.received;
  if (told > most) return {told - most, most};
  if (told < least) return {told - least, least};
  return {nanoseconds{0}, most};
}

bool is_odd(const oddity& one) {
  const double allowed = allowed_drift * static_cast<double>(std::max(one.elapsed, nanoseconds{0}).count());
  return std::chrono::abs(one.excess) > least_step &&
         static_cast<double>(std::chrono::abs(one.excess).count()) > allowed;
}

constexpr auto fix_clock =
    "on the Redis host: timedatectl set-ntp true, and have chrony or ntpd slew the clock instead of stepping it";

}  // namespace

opinion judge_clock_difference(const facts& seen) {
  if (seen.clock.empty()) return std::nullopt;
  // The answer that came fastest tells most exactly.
  const auto best = std::min_element(seen.clock.begin(), seen.clock.end(), [](const auto& a, const auto& b) {
    return a.received - a.sent < b.received - b.sent;
  });
  const nanoseconds half = (best->received - best->sent) / 2;
  const nanoseconds off = best->server - (best->host - half);
  const nanoseconds size = std::chrono::abs(off);
  const std::string figure = "the server's clock is " + time_text(size) + (off.count() < 0 ? " behind" : " ahead of") +
                             " this host's (to within " + time_text(half) + ")";
  if (size < worth_knowing) return finding{severity::fine, "clock_difference", figure};
  return finding{
      size < worth_mending ? severity::notice : severity::warning, "clock_difference", figure,
      "locks do not depend on it, but ticks of --once-per, cron on several hosts, and times read by people do",
      "timedatectl set-ntp true, on this host and on the Redis host"};
}

opinion judge_clock_steps(const facts& seen) {
  if (seen.clock.size() < 2) return std::nullopt;
  oddity step;
  for (std::size_t i = 1; i < seen.clock.size(); ++i) {
    const oddity one = between(seen.clock[i - 1], seen.clock[i]);
    if (is_odd(one) && std::chrono::abs(one.excess) > std::chrono::abs(step.excess)) step = one;
  }
  const nanoseconds watched = seen.clock.back().received - seen.clock.front().sent;
  if (step.excess.count() != 0) {
    const bool forward = step.excess.count() > 0;
    return finding{severity::danger, "clock_steps",
                   "the server's clock stepped " + std::string{forward ? "forward" : "back"} + " by " +
                       time_text(std::chrono::abs(step.excess)) + " while it was watched for " + time_text(watched),
                   forward ? "a step forward ends leases before their holders know it: two hold the lock"
                           : "a step back keeps the locks of dead holders, and fencing numbers stand still meanwhile",
                   fix_clock};
  }
  const oddity whole = between(seen.clock.front(), seen.clock.back());
  if (is_odd(whole)) {
    const double rate = static_cast<double>(whole.excess.count()) / static_cast<double>(whole.elapsed.count());
    return finding{severity::danger, "clock_steps",
                   "the server's clock runs " + percent_text(std::abs(rate)) + (rate > 0 ? " fast" : " slow") +
                       ", or more, seen for " + time_text(watched),
                   "leases are counted with 1 % of drift between two clocks: more, and two may hold the lock",
                   fix_clock};
  }
  return finding{severity::fine, "clock_steps", "even, watched for " + time_text(watched)};
}

}  // namespace holdfast::doctor
