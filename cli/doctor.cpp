// holdfast doctor: what endangers locks on this deployment
#include "duration.hpp"
#include "exit_code.hpp"
#include "json.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/doctor.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

const manual doctor_page{
    .name = "doctor",
    .usage = "",
    .summary = "say what endangers locks on this Redis, and how to mend it",
    .description =
        {"Asks Redis about itself (INFO, CONFIG GET, TIME, PING, SLOWLOG, ACL) and prints a finding for each thing "
         "that "
         "matters to locks: its severity, what was seen, why it endangers locks, and the command that mends it. It "
         "changes nothing. What the user is not allowed to ask is told as a notice.",
         "Where ACL DRYRUN is not allowed, rights are tried out by one script on keys of a made-up name, which are "
         "gone "
         "when it ends; what is refused then shows in ACL LOG.",
         "Fixes are for redis-cli. CONFIG SET lasts until Redis restarts; CONFIG REWRITE keeps it. docs/operate.md "
         "explains each finding."},
    .examples = {{"holdfast doctor --url redis://cache-1", "look, for a second or two"},
                 {"holdfast doctor --quick --json", "for a monitor; exit 0, 1 or 2"}},
    .exits = {{"0", "clean: nothing worse than notices"},
              {"1", "warnings"},
              {"2", "dangers"},
              {"64", "wrong words or settings"},
              {"69", "Redis cannot be reached"},
              {"77", "Redis refused the password"}},
};

colour colour_of(severity how_bad) {
  switch (how_bad) {
    case severity::danger:
      return colour::red;
    case severity::warning:
      return colour::yellow;
    case severity::notice:
      return colour::cyan;
    default:
      return colour::green;
  }
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string table_of(const diagnosis& seen, bool coloured) {
  std::vector<finding> sorted = seen.findings;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const finding& a, const finding& b) { return a.how_bad > b.how_bad; });
  std::string out = paint(coloured, colour::bold, printable(seen.where)) +
                    (seen.server.empty() ? "" : "  " + printable(seen.server)) + "\n\n";
  for (const finding& each : sorted) {
    const std::string word = padded(std::string{to_string(each.how_bad)}, 9);
    out += paint(coloured, colour_of(each.how_bad), word) + padded(each.id, 18) + printable(each.seen) + "\n";
    if (!each.why.empty()) out += "           why: " + printable(each.why) + "\n";
    if (!each.fix.empty()) out += "           fix: " + printable(each.fix) + "\n";
  }
  out += "\n" + counted(seen.count(severity::danger), "danger") + ", " +
         counted(seen.count(severity::warning), "warning") + ", " + counted(seen.count(severity::notice), "notice") +
         ", " + std::to_string(seen.count(severity::fine)) + " fine.";
  if (seen.worst() >= severity::warning) {
    out += " Fixes are for redis-cli; CONFIG REWRITE keeps what CONFIG SET changed.";
  }
  return out + "\n";
}

json_object json_of(const diagnosis& seen) {
  json_array findings;
  for (const finding& each : seen.findings) {
    findings.raw(json_object{}
                     .add("id", each.id)
                     .add("severity", to_string(each.how_bad))
                     .add("known", each.known)
                     .add("seen", each.seen)
                     .add("why", each.why)
                     .add("fix", each.fix)
                     .text());
  }
  return json_object{}
      .add("where", seen.where)
      .add("server", seen.server)
      .add("worst", to_string(seen.worst()))
      .add("dangers", seen.count(severity::danger))
      .add("warnings", seen.count(severity::warning))
      .add("notices", seen.count(severity::notice))
      .add("fine", seen.count(severity::fine))
      .raw("findings", findings.text());
}

severity worst_of(const std::vector<diagnosis>& all) {
  severity worst = severity::fine;
  for (const diagnosis& each : all) worst = std::max(worst, each.worst());
  return worst;
}

std::string json_of(const std::vector<diagnosis>& all, const std::string& where) {
  if (all.size() == 1) return json_of(all.front()).text() + "\n";
  json_array nodes;
  for (const diagnosis& each : all) nodes.raw(json_of(each).text());
  return json_object{}.add("where", where).add("worst", to_string(worst_of(all))).raw("nodes", nodes.text()).text() +
         "\n";
}

std::string table_of(const std::vector<diagnosis>& all, bool coloured) {
  std::string out;
  for (const diagnosis& each : all) out += (out.empty() ? "" : "\n") + table_of(each, coloured);
  return out;
}

class doctor_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return doctor_page; }

  void define(CLI::App& app) override {
    app.add_flag("--json", json_, "print a JSON object");
    app.add_flag("--quick", quick_, "look for a tenth of a second, fewer PINGs");
    add_duration(app, "--ttl", ttl_, "the shortest ttl in use, to judge by (30s)");
    target_.define(app);
  }

  int act() override {
    examine_options how;
    if (quick_) {
      how.clock_watch = 100ms;
      how.pings = 20;
    }
    if (ttl_) how.ttl = *ttl_;
    client redis = target_.connect();
    const auto seen = examine_all(redis, how).value();
    print(json_ ? json_of(seen, redis.where().display()) : table_of(seen, has_colours(STDOUT_FILENO)));
    switch (worst_of(seen)) {
      case severity::danger:
        return 2;
      case severity::warning:
        return 1;
      default:
        return exit_ok;
    }
  }

 private:
  target target_;
  bool json_ = false;
  bool quick_ = false;
  std::optional<std::chrono::milliseconds> ttl_;
};

}  // namespace

std::unique_ptr<verb> make_doctor() { return std::make_unique<doctor_verb>(); }

}  // namespace holdfast::cli
