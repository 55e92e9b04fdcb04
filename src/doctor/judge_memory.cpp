// Memory: what Redis throws away, and when it refuses to write.
#include "doctor/judge.hpp"
#include "doctor/text.hpp"

namespace holdfast::doctor {
namespace {

constexpr double nearly_full = 0.80;
constexpr double full = 0.95;

finding about_maxmemory(severity how_bad, std::string seen, std::string why = {}, std::string fix = {}) {
  return {how_bad, "maxmemory", std::move(seen), std::move(why), std::move(fix)};
}

finding without_limit(const info& from, std::int64_t used) {
  const std::int64_t host = from.number("total_system_memory").value_or(0);
  const std::string limit = host > 0 ? std::to_string(host / 4 * 3 / 1048576) + "mb" : "2gb";
  const std::string fix = "CONFIG SET maxmemory " + limit + " (with maxmemory-policy noeviction)";
  std::string seen = "no maxmemory; " + bytes_text(used) + " in use";
  if (host <= 0)
    return about_maxmemory(severity::notice, seen,
                           "when the host's memory is full, the kernel kills Redis and with it the locks", fix);
  const double share = static_cast<double>(used) / static_cast<double>(host);
  seen += ", " + percent_text(share) + " of the host's " + bytes_text(host);
  if (share >= nearly_full) {
    return about_maxmemory(severity::warning, seen,
                           "when the host's memory is full, the kernel kills Redis and with it the locks", fix);
  }
  return about_maxmemory(severity::notice, seen,
                         "nothing but the host's memory bounds it; when that is full, the kernel kills Redis", fix);
}

}  // namespace

std::optional<finding> judge_eviction(const info& from) {
  const std::string policy{from.text("maxmemory_policy")};
  if (policy.empty()) return std::nullopt;
  if (policy == "noeviction") return finding{severity::fine, "eviction", "maxmemory-policy is noeviction"};
  const bool unlimited = from.number("maxmemory") == 0;
  return finding{severity::danger, "eviction", "maxmemory-policy is " + policy,
                 std::string{"when memory is short Redis throws away locks that are held"} +
                     (unlimited ? " (as soon as a maxmemory is set)" : ""),
                 "CONFIG SET maxmemory-policy noeviction"};
}

opinion judge_maxmemory(const facts& seen) {
  if (!seen.info.value) return std::nullopt;
  const info& from = *seen.info.value;
  const auto used = from.number("used_memory");
  const auto limit = from.number("maxmemory");
  if (!used || !limit) return std::nullopt;
  if (*limit <= 0) return without_limit(from, *used);
  const double share = static_cast<double>(*used) / static_cast<double>(*limit);
  const std::string figure =
      bytes_text(*used) + " of maxmemory " + bytes_text(*limit) + " in use, " + percent_text(share);
  if (share < nearly_full) return about_maxmemory(severity::fine, figure);
  const bool evicts = !from.text("maxmemory_policy").empty() && from.text("maxmemory_policy") != "noeviction";
  return about_maxmemory(share >= full ? severity::danger : severity::warning, figure,
                         evicts ? "at the limit Redis throws away keys, locks among them"
                                : "at the limit Redis refuses new locks (OOM); those that are held can be kept",
                         "CONFIG SET maxmemory " + std::to_string(*limit / 1048576 * 2 + 1) + "mb, or free memory");
}

}  // namespace holdfast::doctor
