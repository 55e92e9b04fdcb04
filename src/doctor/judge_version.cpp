// Which server, and which version of it.
#include "doctor/judge.hpp"

#include <array>

namespace holdfast::doctor {
namespace {

using version = std::array<std::int64_t, 3>;  // compares as it should

std::optional<version> read_version(std::string_view text) {
  const auto first = text.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = text.find('.', first + 1);
  const auto major = as_number(text.substr(0, first));
  const auto minor = as_number(text.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
  if (!major || !minor) return std::nullopt;
  const auto patch =
      second == std::string_view::npos ? std::optional<std::int64_t>{0} : as_number(text.substr(second + 1));
  return version{*major, *minor, patch.value_or(0)};
}

// From Redis's release notes: what was mended later and concerns locks.
struct defect {
  version from;
  version mended;
  std::string_view what;
};
constexpr std::array defects{
    defect{{7, 0, 0}, {7, 0, 1}, "after a failed save its answers break the protocol"},
    defect{{7, 0, 0},
           {7, 0, 3},
           "a script that has begun to write can be cut off by NOREPLICAS, which leaves a hand-over half done"},
    defect{{7, 0, 0}, {7, 0, 5}, "a rewrite of the append-only file can lose what was not yet on disk"},
};

finding about_version(severity how_bad, std::string seen, std::string why = {}, std::string fix = {}) {
  return {how_bad, "version", std::move(seen), std::move(why), std::move(fix)};
}

}  // namespace

std::string server_name(const info& from) {
  // Valkey and Dragonfly also give a redis_version, of what they are compatible with.
  for (const std::string_view name : {"valkey", "dragonfly", "keydb", "redict"}) {
    if (const auto told = from.text(std::string{name} + "_version"); !told.empty()) {
      return std::string{name} + " " + std::string{told};
    }
  }
  const auto told = from.text("redis_version");
  if (told.empty()) return {};
  const bool keydb = from.text("executable").find("keydb-server") != std::string_view::npos;
  return (keydb ? "keydb " : "redis ") + std::string{told};
}

opinion judge_version(const facts& seen) {
  if (!seen.info.value) return std::nullopt;
  const std::string name = server_name(*seen.info.value);
  if (name.empty()) return std::nullopt;
  if (name.starts_with("dragonfly") || name.starts_with("keydb")) {
    return about_version(severity::notice, name, "Holdfast is tested with Redis; this server only resembles it",
                         "run your own trial before relying on locks there, or use Redis or Valkey");
  }
  if (!name.starts_with("redis ")) return about_version(severity::fine, name);
  const auto number = read_version(std::string_view{name}.substr(6));
  if (!number) return about_version(severity::notice, name, "the version cannot be read", "use Redis 6.2 or later");
  if (*number < version{5, 0, 0}) {
    return about_version(severity::danger, name,
                         "it lacks commands that the scripts need (ZPOPMIN): locks cannot be had",
                         "upgrade to Redis 6.2 or later");
  }
  if (*number < version{6, 0, 0}) {
    return about_version(severity::warning, name, "it is not maintained any more, and has neither ACLs nor RESP3",
                         "upgrade to Redis 6.2 or later");
  }
  if ((*number)[1] == 9 && (*number)[2] >= 100) {
    return about_version(severity::warning, name, "a release candidate, not meant for production",
                         "upgrade to the release");
  }
  finding found = about_version(severity::fine, name);
  for (const defect& each : defects) {
    if (*number < each.from || *number >= each.mended) continue;
    found.how_bad = severity::warning;
    found.why += (found.why.empty() ? "" : "; ") + std::string{each.what};
    found.fix = "upgrade to Redis 7.0.5 or later";
  }
  return found;
}

}  // namespace holdfast::doctor
