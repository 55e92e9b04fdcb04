// Puts the opinions in order and says "nobody knows" where a fact is missing. See judge.hpp.
#include "doctor/judge.hpp"

#include <algorithm>
#include <array>

namespace holdfast::doctor {
namespace {

enum class source : unsigned char { info, config, clock, ping, slow_log, rights, link };

struct row {
  std::string_view id;
  source from;  // what the opinion needs at least
  opinion (*form)(const facts& seen);
};

template <std::optional<finding> (*judge_info)(const info&)>
opinion by_info(const facts& seen) {
  return seen.info.value ? judge_info(*seen.info.value) : std::nullopt;
}

opinion by_persistence(const facts& seen) {
  if (!seen.info.value) return std::nullopt;
  return judge_persistence(*seen.info.value, seen.config.value ? &*seen.config.value : nullptr);
}

constexpr std::array table{
    row{"eviction", source::info, by_info<judge_eviction>},
    row{"maxmemory", source::info, judge_maxmemory},
    row{"persistence", source::info, by_persistence},
    row{"save_errors", source::info, judge_save_errors},
    row{"role", source::info, by_info<judge_role>},
    row{"replicas", source::info, judge_replicas},
    row{"cluster", source::info, judge_cluster},
    row{"quorum", source::info, judge_quorum},
    row{"version", source::info, judge_version},
    row{"acl", source::rights, judge_acl},
    row{"clock_difference", source::clock, judge_clock_difference},
    row{"clock_steps", source::clock, judge_clock_steps},
    row{"round_trip", source::ping, judge_round_trip},
    row{"slow_log", source::slow_log, judge_slow_log},
    row{"busy_scripts", source::config, judge_busy_scripts},
    row{"idle_timeout", source::config, judge_idle_timeout},
    row{"tcp_keepalive", source::config, judge_tcp_keepalive},
    row{"client_limit", source::info, judge_client_limit},
    row{"protocol", source::link, judge_protocol},
};

struct question {
  std::string_view command;
  std::string_view right;
};

question question_of(source from) {
  switch (from) {
    case source::info:
      return {"INFO", "+info"};
    case source::config:
      return {"CONFIG GET", "+config|get"};
    case source::clock:
      return {"TIME", "+time"};
    case source::ping:
      return {"PING", "+ping"};
    case source::slow_log:
      return {"SLOWLOG GET", "+slowlog|get"};
    default:
      return {"ACL DRYRUN", "+acl|whoami +acl|dryrun"};
  }
}

const std::string& why_not(const facts& seen, source from) {
  static const std::string none;
  switch (from) {
    case source::info:
      return seen.info.why_not;
    case source::config:
      return seen.config.why_not;
    case source::clock:
      return seen.why_no_clock;
    case source::ping:
      return seen.why_no_ping;
    case source::slow_log:
      return seen.slow_log.why_not;
    case source::rights:
      return seen.rights.why_not;
    default:
      return none;
  }
}

finding unknown(const row& about, const facts& seen) {
  const question asks = question_of(about.from);
  const std::string& reason = why_not(seen, about.from);
  const std::string command{asks.command};
  finding made{severity::notice,
               std::string{about.id},
               "not known: the answer to " + command + " does not tell",
               "whether this endangers locks could not be looked at",
               "look at it as an administrator, or in the provider's console",
               false};
  if (reason.empty()) return made;
  made.seen = "not known: " + command + " was refused (" + reason + ")";
  if (!reason.starts_with("NOPERM")) return made;  // renamed or switched off, as on managed servers
  const std::string user = seen.rights.value ? seen.rights.value->user : "default";
  made.fix = "ACL SETUSER " + user + " " + std::string{asks.right} + "; or run doctor as an administrator";
  return made;
}

}  // namespace

std::vector<finding> judge(const facts& seen) {
  std::vector<finding> all;
  all.reserve(table.size());
  for (const row& each : table) {
    auto formed = each.form(seen);
    all.push_back(formed ? std::move(*formed) : unknown(each, seen));
  }
  return all;
}

std::vector<std::string_view> finding_ids() {
  std::vector<std::string_view> ids;
  ids.reserve(table.size());
  for (const row& each : table) ids.push_back(each.id);
  return ids;
}

}  // namespace holdfast::doctor

namespace holdfast {

severity diagnosis::worst() const noexcept {
  severity worst = severity::fine;
  for (const finding& each : findings) worst = std::max(worst, each.how_bad);
  return worst;
}

std::size_t diagnosis::count(severity how_bad) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const finding& each) { return each.how_bad == how_bad; }));
}

}  // namespace holdfast
