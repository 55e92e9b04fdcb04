// What keeps the server from answering: Redis runs one command at a time, and renewals wait behind slow ones.
#include "doctor/judge.hpp"
#include "doctor/text.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace holdfast::doctor {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds slow{100};
constexpr std::chrono::hours recent{24};
constexpr std::int64_t longest_lua_limit = 10'000;

struct remedy {
  std::string_view command;
  std::string_view instead;
};
constexpr std::array<remedy, 12> remedies{{{"KEYS", "SCAN instead of KEYS"},
                                           {"DEL", "UNLINK instead of DEL for large keys"},
                                           {"FLUSHALL", "FLUSHALL ASYNC"},
                                           {"FLUSHDB", "FLUSHDB ASYNC"},
                                           {"SAVE", "BGSAVE instead of SAVE"},
                                           {"SMEMBERS", "SSCAN instead of SMEMBERS"},
                                           {"HGETALL", "HSCAN instead of HGETALL"},
                                           {"LRANGE", "shorter ranges"},
                                           {"ZRANGE", "shorter ranges"},
                                           {"SORT", "smaller SORTs, or on a replica"},
                                           {"EVAL", "shorter scripts"},
                                           {"EVALSHA", "shorter scripts"}}};

std::string advice_for(const std::map<std::string, int>& names) {
  std::string out = "SLOWLOG GET 10 shows them";
  for (const remedy& each : remedies) {
    if (names.contains(std::string{each.command}) && out.find(each.instead) == std::string::npos) {
      out += "; " + std::string{each.instead};
    }
  }
  return out;
}

}  // namespace

opinion judge_slow_log(const facts& seen) {
  if (!seen.slow_log.value) return std::nullopt;
  const auto limit = seen.config_number("slowlog-log-slower-than");
  if (limit && (*limit < 0 || microseconds{*limit} > slow)) {
    return finding{severity::notice, "slow_log",
                   "slowlog-log-slower-than is " + std::to_string(*limit) + ": slow commands are not written down",
                   "what delays renewals could not be seen", "CONFIG SET slowlog-log-slower-than 10000"};
  }
  const auto now = seen.clock.empty() ? microseconds::max() : seen.clock.back().server;
  std::map<std::string, int> names;
  microseconds longest{};
  int count = 0;
  for (const slow_command& each : *seen.slow_log.value) {
    const bool old = !seen.clock.empty() && now - each.at > recent;
    if (old || each.took < slow) continue;
    ++count;
    ++names[each.name];
    longest = std::max(longest, each.took);
  }
  if (count == 0) return finding{severity::fine, "slow_log", "no command over " + time_text(slow) + " in the last day"};
  std::string listed;
  for (const auto& [name, times] : names)
    listed += (listed.empty() ? "" : ", ") + name + " " + std::to_string(times) + "x";
  return finding{severity::warning, "slow_log",
                 std::to_string(count) + (count == 1 ? " command" : " commands") + " over " + time_text(slow) +
                     " in the last day, the longest " + time_text(longest) + ": " + listed,
                 "Redis does one thing at a time: renewals and hand-overs wait behind these", advice_for(names)};
}

opinion judge_busy_scripts(const facts& seen) {
  const std::string name = seen.config_text("busy-reply-threshold") ? "busy-reply-threshold" : "lua-time-limit";
  const auto limit = seen.config_number(name);
  if (!limit) return std::nullopt;
  const std::string figure = name + " is " + std::to_string(*limit) + " ms";
  if (*limit > 0 && *limit <= longest_lua_limit) return finding{severity::fine, "busy_scripts", figure};
  return finding{severity::notice, "busy_scripts", figure,
                 "while somebody's script runs too long, Redis is silent instead of saying so, and it cannot be ended "
                 "with SCRIPT KILL until then",
                 "CONFIG SET " + name + " 5000"};
}

}  // namespace holdfast::doctor
