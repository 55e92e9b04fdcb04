#include "manual/help.hpp"

#include "manual/exits.hpp"
#include "manual/option_view.hpp"
#include "manual/wrap.hpp"
#include "terminal.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr std::size_t screen_columns = 80;
constexpr std::ptrdiff_t screen_lines = 40;
constexpr std::size_t widest_flags = 26;

std::string padded(std::string text, std::size_t width) {
  text.append(width > columns(text) ? width - columns(text) : 0, ' ');
  return text;
}

std::string heading(bool coloured, std::string_view text) { return paint(coloured, colour::bold, text) + "\n"; }

// "  left   text", the text in as many lines as it needs, each in its column. A left that reaches into that column
// keeps the text on its own line if both fit.
std::string row(const std::string& left, const std::string& text, std::size_t column) {
  const std::size_t used = columns(left) + 4;
  if (used > column && used + columns(text) <= screen_columns) return "  " + left + "  " + text + "\n";
  std::string out = used > column ? "  " + left + "\n" : padded("  " + left, column);
  bool begun = used <= column;
  for (const std::string& line : wrapped(text, screen_columns - column)) {
    out += (begun ? "" : std::string(column, ' ')) + line + "\n";
    begun = false;
  }
  return out;
}

std::string options_text(const CLI::App& app, bool coloured, bool airy) {
  const std::vector<option_view> options = options_of(app);
  std::size_t column = 0;
  for (const option_view& each : options) {
    const std::size_t width = columns(each.flags(true));
    if (width <= widest_flags) column = std::max(column, width + 4);
  }
  std::string out;
  std::string group;
  for (const option_view& each : options) {
    if (each.group != group) out += (airy ? "\n" : "") + heading(coloured, each.group + ":");
    group = each.group;
    out += row(each.flags(true), each.description, column);
  }
  return out;
}

std::string examples_text(const std::vector<manual::example>& examples, bool coloured) {
  constexpr std::size_t most = 2;
  std::string out = heading(coloured, "Examples:");
  std::size_t column = 0;
  for (std::size_t i = 0; i < std::min(most, examples.size()); ++i) {
    if (columns(examples[i].command) < 48) column = std::max(column, columns(examples[i].command) + 4);
  }
  for (std::size_t i = 0; i < std::min(most, examples.size()); ++i) {
    out += row(std::string{examples[i].command}, "# " + std::string{examples[i].effect}, column);
  }
  return out;
}

// One per line; `folded`: one after the other, where lines are scarce.
std::string exits_text(const manual& page, const CLI::App& app, bool coloured, bool folded) {
  const std::vector<manual::exit_status> codes = exits_of(page, app, false);
  std::string out = heading(coloured, "Exit codes:");
  std::size_t column = 0;
  std::string all;
  constexpr char glue = '\x01';  // keeps a code and its meaning on one line
  for (const auto& each : codes) {
    column = std::max(column, columns(each.code) + 4);
    all += (all.empty() ? "" : "; ") + std::string{each.code} + glue + std::string{each.meaning};
  }
  if (!folded) {
    for (const auto& each : codes) out += row(std::string{each.code}, std::string{each.meaning}, column);
    return out;
  }
  for (std::string& line : wrapped(all, screen_columns - 2)) {
    std::ranges::replace(line, glue, ' ');
    out += "  " + line + "\n";
  }
  return out;
}

}  // namespace

void prepare(verb& what, CLI::App& app) {
  app.name("holdfast " + std::string{what.text().name});
  app.set_help_flag("-h,--help", "show this");
  what.define(app);
}

std::string help_text(const verb& what, const CLI::App& app, bool coloured) {
  const manual& page = what.text();
  std::string usage = "holdfast " + std::string{page.name} + " [OPTION...]";
  if (!page.usage.empty()) usage += " " + std::string{page.usage};
  const auto lay_out = [&](bool airy, bool folded) {
    const std::string gap = airy ? "\n" : "";
    std::string out = paint(coloured, colour::bold, "Usage:") + " " + usage + "\n";
    for (const std::string& line : wrapped(page.summary, screen_columns - 2)) out += "  " + line + "\n";
    out += options_text(app, coloured, airy);
    if (!page.examples.empty()) out += gap + examples_text(page.examples, coloured);
    return out + gap + exits_text(page, app, coloured, folded);
  };
  // Rather dense than scrolled.
  std::string out = lay_out(true, false);
  if (std::ranges::count(out, '\n') > screen_lines) out = lay_out(true, true);
  if (std::ranges::count(out, '\n') > screen_lines) out = lay_out(false, true);
  return out;
}

std::string overview_text(bool coloured) {
  std::string out =
      paint(coloured, colour::bold, "Usage:") +
      " holdfast VERB [OPTION...]\n  locks across machines, on the Redis you already run: the flock(1) of a fleet\n\n" +
      heading(coloured, "Verbs:");
  std::vector<manual::example> examples;
  for (const verb_entry& each : verbs()) {
    const auto what = each.make();
    out += row(std::string{each.name}, std::string{what->text().summary}, 14);
    if (!what->text().examples.empty()) examples.push_back(what->text().examples.front());
  }
  out += "\n" + examples_text(examples, coloured) + "\n" + heading(coloured, "Which Redis:");
  out += "  --url, else HOLDFAST_URL, else ~/.config/holdfast.conf or /etc/holdfast.conf;\n";
  out += "  where none of them names one, a private Redis is started for you.\n\n";
  return out + "holdfast help VERB explains one; so does: man holdfast-VERB\n";
}

}  // namespace holdfast::cli
