#include "manual/misuse.hpp"

#include "manual/option_view.hpp"
#include "suggestion.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace holdfast::cli {
namespace {

std::string in_quotes(std::string_view text) { return "'" + std::string{text} + "'"; }

// The first word that nobody wanted, an option before others: it is what made the rest go astray.
std::string left_over(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  for (const std::string& each : words) {
    if (each == "--") break;  // what follows is no option of ours, whatever it looks like
    if (each.size() > 1 && each.front() == '-') return unknown_option_text(each, app);
    if (app.get_prefix_command()) break;  // nor is what follows another command's name
  }
  return words.empty() ? "" : in_quotes(words.front()) + " is one word too many";
}

// CLI11 puts the option first: "--ttl: 1 required TIME missing".
std::string option_of(const CLI::ParseError& wrong) {
  const std::string text = wrong.what();
  return text.substr(0, text.find(':'));
}

std::string mismatch(const CLI::ParseError& wrong, const CLI::App& app) {
  const std::string name = option_of(wrong);
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (option == nullptr) return wrong.what();
  if (std::string_view{wrong.what()}.find("At Most") != std::string_view::npos) return name + " was given twice";
  for (const option_view& each : options_of(app)) {
    if (std::ranges::find(each.longs, name) == each.longs.end() || each.value.empty()) continue;
    return name + " needs a value: " + name + " " + each.value;
  }
  return wrong.what();
}

std::string what_is_wrong(const CLI::ParseError& wrong, const CLI::App& app, const manual& page) {
  std::string extra = left_over(app);
  if (dynamic_cast<const CLI::ExtrasError*>(&wrong) != nullptr && !extra.empty()) return extra;
  if (dynamic_cast<const CLI::RequiredError*>(&wrong) != nullptr) {
    if (extra.starts_with("there is no option")) return extra;
    const std::string text = wrong.what();
    return text.substr(0, text.find(" is required")) + " is missing: holdfast " + std::string{page.name} + " " +
           std::string{page.usage};
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) != nullptr) return mismatch(wrong, app);
  if (dynamic_cast<const CLI::ConversionError*>(&wrong) != nullptr) {
    // "Could not convert: --count = abc"
    const std::string text = wrong.what();
    const auto from = text.find(": ");
    const auto at = text.find(" = ", from);
    if (text.starts_with("Could not convert: ") && at != std::string::npos) {
      return text.substr(from + 2, at - from - 2) + " cannot be " + in_quotes(text.substr(at + 3));
    }
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&wrong) != nullptr) {
    const std::string text = wrong.what();
    const auto at = text.find(" excludes ");
    if (at != std::string::npos) return text.substr(0, at) + " and " + text.substr(at + 10) + " exclude each other";
  }
  return wrong.what();
}

}  // namespace

std::string unknown_option_text(std::string_view given, const CLI::App& app) {
  given = given.substr(0, given.find('='));
  const std::vector<option_view> options = options_of(app);
  std::vector<std::string_view> known;
  for (const option_view& each : options) known.insert(known.end(), each.longs.begin(), each.longs.end());
  // A single letter is near to everything.
  const std::string_view near = given.size() > 2 ? nearest(given, known) : std::string_view{};
  return "there is no option " + in_quotes(given) + (near.empty() ? "" : "; did you mean " + in_quotes(near) + "?");
}

std::string misuse_text(const CLI::ParseError& wrong, const CLI::App& app, const manual& page) {
  return what_is_wrong(wrong, app, page) + " (see: holdfast help " + std::string{page.name} + ")";
}

}  // namespace holdfast::cli
