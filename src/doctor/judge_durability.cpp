// What survives a crash: persistence, and whether it works.
#include "doctor/judge.hpp"

namespace holdfast::doctor {
namespace {

finding about_persistence(severity how_bad, std::string seen, std::string why = {}, std::string fix = {}) {
  return {how_bad, "persistence", std::move(seen), std::move(why), std::move(fix)};
}

}  // namespace

std::optional<finding> judge_persistence(const info& from, const config_values* config) {
  const auto appends = from.number("aof_enabled");
  if (!appends) return std::nullopt;
  const auto told = [config](std::string_view name) -> std::optional<std::string> {
    if (config == nullptr) return std::nullopt;
    const auto found = config->find(name);
    return found == config->end() ? std::nullopt : std::optional<std::string>{found->second};
  };
  if (*appends == 0) {
    const auto saves = told("save");
    const std::string kept = !saves           ? ""
                             : saves->empty() ? ", and save is off"
                                              : ", only snapshots (save " + *saves + ")";
    constexpr auto fix = "CONFIG SET appendonly yes; with appendfsync everysec a crash forgets the last second or two";
    if (from.number("connected_slaves").value_or(0) == 0) {
      return about_persistence(severity::notice, "appendonly is off" + kept,
                               "a crash of Redis forgets the locks that are held", fix);
    }
    // Whoever restarts it fast is quicker than a failover.
    return about_persistence(saves && saves->empty() ? severity::warning : severity::notice,
                             "appendonly is off" + kept + "; it has replicas",
                             "a primary that crashes and is back before a failover has forgotten the locks that were "
                             "held and the fences, and "
                             "its replicas copy that from it",
                             std::string{fix} + "; or let nothing restart it by itself");
  }
  const std::string sync = told("appendfsync").value_or("");
  if (sync == "always") return about_persistence(severity::fine, "appendonly is on, appendfsync always");
  if (sync == "no") {
    return about_persistence(severity::warning, "appendonly is on, appendfsync no",
                             "a crash of the host forgets up to half a minute of locks",
                             "CONFIG SET appendfsync everysec (or always)");
  }
  if (sync.empty()) return about_persistence(severity::fine, "appendonly is on");
  return about_persistence(
      severity::notice, "appendonly is on, appendfsync " + sync,
      "a crash of the host forgets the locks of the last second or two",
      "CONFIG SET appendfsync always, if that must not happen; each write then waits for the disk");
}

opinion judge_save_errors(const facts& seen) {
  if (!seen.info.value) return std::nullopt;
  const info& from = *seen.info.value;
  const auto failed = [&](std::string_view field) { return !from.text(field).empty() && from.text(field) != "ok"; };
  const auto made = [](severity how_bad, std::string what, std::string why, std::string fix) {
    return finding{how_bad, "save_errors", std::move(what), std::move(why), std::move(fix)};
  };
  const std::string look = "look at Redis's log and at the disk (df), then ";
  if (failed("aof_last_write_status")) {
    return made(severity::danger, "the last write to the append-only file failed",
                "Redis refuses every write (MISCONF): locks cannot be had", look + "BGREWRITEAOF");
  }
  if (failed("rdb_last_bgsave_status")) {
    if (seen.config_text("stop-writes-on-bgsave-error") == "no") {
      return made(severity::warning, "the last save to disk failed", "the snapshot on disk gets older and older",
                  look + "BGSAVE");
    }
    return made(severity::danger, "the last save to disk failed",
                "Redis refuses every write (MISCONF) until a save succeeds: locks cannot be had", look + "BGSAVE");
  }
  if (failed("aof_last_bgrewrite_status")) {
    return made(severity::warning, "the last rewrite of the append-only file failed",
                "the file grows until the disk is full, and then Redis refuses writes", look + "BGREWRITEAOF");
  }
  if (!from.has("rdb_last_bgsave_status") && !from.has("aof_last_write_status")) return std::nullopt;
  return finding{severity::fine, "save_errors", "no failed save or append"};
}

}  // namespace holdfast::doctor
