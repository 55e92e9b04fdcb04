#include "manual/man.hpp"

#include "manual/exits.hpp"
#include "manual/help.hpp"
#include "manual/option_view.hpp"
#include "manual/roff.hpp"
#include "manual/setting_text.hpp"

#include <holdfast/version.hpp>

#include <array>
#include <cctype>
#include <cstdlib>
#include <ctime>

namespace holdfast::cli {
namespace {

std::string day() {
  const char* const given = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t when = given != nullptr && *given != '\0' ? std::atoll(given) : std::time(nullptr);
  std::tm parts{};
  std::array<char, 16> text{};
  if (::gmtime_r(&when, &parts) == nullptr) return "";
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

std::string head(std::string_view name, std::string_view summary) {
  std::string title;
  for (const char c : name) title += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".TH " + roff(title) + " 1 \"" + day() + "\" \"holdfast " HOLDFAST_VERSION "\" \"Holdfast\"\n.SH NAME\n" +
         roff(name) + " \\- " + roff(summary) + "\n";
}

std::string item(const std::string& term, const std::string& text) { return ".TP\n" + term + "\n" + text + "\n"; }

std::string paragraphs(const auto& texts) {
  std::string out;
  for (const std::string_view each : texts) out += (out.empty() ? "" : ".PP\n") + roff_prose(each) + "\n";
  return out;
}

std::string options_section(const CLI::App& app) {
  std::string out = ".SH OPTIONS\n";
  std::string group = "Options";
  for (const option_view& each : options_of(app)) {
    if (each.group != group) out += ".SS " + roff(each.group) + "\n";
    group = each.group;
    out += item(roff_usage(each.flags(false)), roff_prose(each.description));
  }
  return out;
}

std::string exits_section(const std::vector<manual::exit_status>& codes) {
  std::string out = ".SH EXIT STATUS\n";
  for (const auto& each : codes) out += item(roff_bold(each.code), roff_prose(each.meaning));
  return out;
}

std::string examples_section(const std::vector<manual::example>& examples) {
  if (examples.empty()) return "";
  std::string out = ".SH EXAMPLES\n";
  for (const auto& each : examples) out += item(roff_bold(each.command), roff_prose(each.effect));
  return out;
}

std::string environment_section(bool connected) {
  std::string out = ".SH ENVIRONMENT\n";
  if (connected) {
    for (const setting_text& each : setting_texts) {
      std::string text{each.meaning};
      if (!each.standard.empty()) text += " (" + std::string{each.standard} + ")";
      out += item(roff_bold(environment_name(each.key)), roff_prose(text));
    }
    out += item("\\fBHOLDFAST_CONFIG\\fR", "the configuration file to read; it must exist");
  }
  return out + item("\\fBNO_COLOR\\fR", "if set and not empty: no colours, no bold");
}

std::string files_section() {
  return ".SH FILES\n" + item("\\fI/etc/holdfast.conf\\fR", "settings of the host") +
         item("\\fI$XDG_CONFIG_HOME/holdfast.conf\\fR, \\fI\\(ti/.config/holdfast.conf\\fR",
              "settings of the user, which override those of the host key by key") +
         ".PP\nTheir lines are \\fIkey\\fR = \\fIvalue\\fR, and # begins a comment. The keys are those of the "
         "environment, in lower case and without HOLDFAST_. The environment overrides the files, and a URL both.\n";
}

std::string see_also(std::string_view self) {
  std::string out = ".SH SEE ALSO\n";
  std::string list;
  if (self != "holdfast") list = "\\fBholdfast\\fR(1)";
  for (const verb_entry& each : verbs()) {
    const std::string name = "holdfast-" + std::string{each.name};
    if (name != self) list += (list.empty() ? "" : ",\n") + roff_bold(name) + "(1)";
  }
  return out + list + ",\n\\fBflock\\fR(1), \\fBredis\\-cli\\fR(1)\n";
}

}  // namespace

std::string man_page(const verb& what, const CLI::App& app) {
  const manual& page = what.text();
  const std::string name = "holdfast-" + std::string{page.name};
  std::string out = head(name, page.summary) + ".SH SYNOPSIS\n.nh\n\\fBholdfast " + roff(page.name) +
                    "\\fR [\\fIOPTION\\fR...]" + (page.usage.empty() ? "" : " " + roff_usage(page.usage)) + "\n.hy\n";
  if (!page.description.empty()) out += ".SH DESCRIPTION\n" + paragraphs(page.description);
  out += options_section(app) + exits_section(exits_of(page, app, true)) + environment_section(connects(app));
  if (connects(app)) out += files_section();
  return out + examples_section(page.examples) + see_also(name);
}

std::string overview_page() {
  std::string out = head("holdfast", "locks across machines, on the Redis you already run") +
                    ".SH SYNOPSIS\n\\fBholdfast\\fR \\fIVERB\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n";
  out += paragraphs(overview_paragraphs) + ".SH VERBS\n";
  std::vector<manual::example> examples;
  for (const verb_entry& each : verbs()) {
    const auto what = each.make();
    out += item(roff_bold(each.name),
                roff_prose(what->text().summary) + "; see \\fBholdfast\\-" + roff(each.name) + "\\fR(1)");
    if (!what->text().examples.empty()) examples.push_back(what->text().examples.front());
  }
  out += exits_section({overview_exits.begin(), overview_exits.end()}) + environment_section(true) + files_section();
  return out + examples_section(examples) + see_also("holdfast");
}

}  // namespace holdfast::cli
