#include "manual/help.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace holdfast::cli {
namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

// "-w, --wait TIME"
std::string flags_of(const CLI::Option& option) {
  std::string out;
  for (const std::string& each : option.get_snames()) out += (out.empty() ? "-" : ", -") + each;
  for (const std::string& each : option.get_lnames()) out += (out.empty() ? "    --" : ", --") + each;
  if (option.get_items_expected_max() > 0 && !option.get_type_name().empty()) out += " " + option.get_type_name();
  return out;
}

}  // namespace

void prepare(verb& what, CLI::App& app) {
  app.name("holdfast " + std::string{what.text().name});
  app.set_help_flag("-h,--help", "show this");
  what.define(app);
}

std::string help_text(const verb& what, const CLI::App& app) {
  const manual& page = what.text();
  std::string out = "holdfast " + std::string{page.name} + " [OPTION...] " + std::string{page.usage} + "\n  " +
                    std::string{page.summary} + "\n\n";
  for (const CLI::Option* each : app.get_options()) {
    if (each->nonpositional()) out += "  " + padded(flags_of(*each), 24) + each->get_description() + "\n";
  }
  out += "\nExamples:\n";
  for (const auto& each : page.examples) {
    out += "  " + padded(std::string{each.command}, 44) + "# " + std::string{each.effect} + "\n";
  }
  return out;
}

std::string overview_text() {
  std::string out = "holdfast VERB [OPTION...]: locks across machines, on the Redis you already run\n\n";
  for (const verb_entry& each : verbs()) {
    out += "  " + padded(std::string{each.name}, 14) + std::string{each.make()->text().summary} + "\n";
  }
  return out + "\nholdfast help VERB explains one.\n";
}

}  // namespace holdfast::cli
