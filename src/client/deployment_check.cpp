#include "client/deployment_check.hpp"

#include "resp/writer.hpp"

#include <algorithm>
#include <cstdio>

namespace holdfast::detail {
namespace {

constexpr std::chrono::milliseconds delay{20};

// The value of `name:` in INFO's lines.
std::string_view field(std::string_view info, std::string_view name) {
  const std::string start = std::string{name} + ":";
  for (std::size_t at = info.find(start); at != std::string_view::npos; at = info.find(start, at + 1)) {
    if (at != 0 && info[at - 1] != '\n') continue;
    const auto from = at + start.size();
    return info.substr(from, info.find_first_of("\r\n", from) - from);
  }
  return {};
}

}  // namespace

std::vector<warning> find_dangers(std::string_view info) {
  std::vector<warning> found;
  const auto policy = field(info, "maxmemory_policy");
  if (!policy.empty() && policy != "noeviction") {
    found.push_back(
        {warning::severity::danger,
         "maxmemory-policy is " + std::string{policy} + ": when memory is short Redis throws away locks that are held",
         "CONFIG SET maxmemory-policy noeviction"});
  }
  if (field(info, "role") == "slave") {
    found.push_back(
        {warning::severity::danger, "this Redis is a replica: it takes no locks", "connect to the primary"});
  }
  if (field(info, "aof_enabled") == "0") {
    found.push_back({warning::severity::notice, "appendonly is off: a crash of Redis forgets the locks that are held",
                     "CONFIG SET appendonly yes; with appendfsync everysec a crash forgets the last second or two"});
  }
  return found;
}

deployment_check::~deployment_check() {
  core_.timers().cancel(*this);
  core_.connection().abandon(*this);
}

void deployment_check::schedule(runtime::time_point now) { core_.timers().schedule(*this, now + delay); }

void deployment_check::fire(runtime::time_point now) {
  if (!pending() && core_.connection().ready()) core_.connection().submit(*this, now);
}

void deployment_check::encode(std::string& out) { resp::append_command(out, "INFO"); }

void deployment_check::on_reply(const resp::value& reply, runtime::time_point /*now*/) {
  if (!reply.is_text()) return;  // not allowed to look: then somebody else is responsible for the server
  for (const warning& each : find_dangers(reply.text)) {
    if (std::find(told_.begin(), told_.end(), each.what) != told_.end()) continue;
    told_.push_back(each.what);
    if (core_.where().on_warning) {
      core_.call_user([tell = core_.where().on_warning, each] { tell(each); });
    } else if (each.how_bad == warning::severity::danger) {
      std::fprintf(stderr, "holdfast: warning: %s; fix: %s\n", each.what.c_str(), each.fix.c_str());
    }
  }
}

}  // namespace holdfast::detail
