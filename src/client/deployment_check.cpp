#include "client/deployment_check.hpp"

#include "doctor/judge.hpp"
#include "resp/writer.hpp"

#include <algorithm>
#include <cstdio>

namespace holdfast::detail {
namespace {

constexpr std::chrono::milliseconds delay{20};

void add(std::vector<warning>& to, const std::optional<finding>& found) {
  if (!found || found->how_bad == severity::fine) return;
  to.push_back({found->how_bad, found->seen + ": " + found->why, found->fix});
}

}  // namespace

std::vector<warning> find_dangers(std::string_view info) {
  const doctor::info told{info};
  std::vector<warning> found;
  add(found, doctor::judge_eviction(told));
  add(found, doctor::judge_role(told));
  add(found, doctor::judge_persistence(told, nullptr));
  return found;
}

deployment_check::~deployment_check() {
  core_.timers().cancel(*this);
  abandon();
}

void deployment_check::schedule(runtime::time_point now) { core_.timers().schedule(*this, now + delay); }

void deployment_check::fire(runtime::time_point now) {
  if (!pending() && core_.nodes().of({}).ready()) core_.nodes().submit(*this, now);
}

void deployment_check::encode(std::string& out) { resp::append_command(out, "INFO"); }

void deployment_check::on_reply(const resp::value& reply, runtime::time_point /*now*/) {
  if (!reply.is_text()) return;  // not allowed to look: then somebody else is responsible for the server
  for (const warning& each : find_dangers(reply.text)) {
    if (std::find(told_.begin(), told_.end(), each.what) != told_.end()) continue;
    told_.push_back(each.what);
    if (core_.where().on_warning) {
      core_.call_user([tell = core_.where().on_warning, each] { tell(each); });
    } else if (each.how_bad == severity::danger) {
      std::fprintf(stderr, "holdfast: warning: %s; fix: %s\n", each.what.c_str(), each.fix.c_str());
    }
  }
}

}  // namespace holdfast::detail
