#include "manual/option_view.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::cli {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(at), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_placeholder(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

// "kill|signal:NAME|ignore": what can be written as it stands; of "signal:NAME" the part that is fixed.
std::vector<std::string> words_of(std::string_view alternatives, char at) {
  std::vector<std::string> words = split(alternatives, at);
  for (std::string& each : words) {
    const auto colon = each.find(':');
    if (colon != std::string::npos && is_placeholder(std::string_view{each}.substr(colon + 1))) each.resize(colon + 1);
  }
  std::erase_if(words, [](const std::string& each) { return is_placeholder(each); });
  return words;
}

// CLI11 appends what validators say: "TEXT:{a,b}" for a set of choices.
void read_value(std::string_view type, option_view& into) {
  const auto brace = type.find(":{");
  if (brace != std::string_view::npos && type.ends_with('}')) {
    into.choices = split(type.substr(brace + 2, type.size() - brace - 3), ',');
    type = type.substr(0, brace);
    for (const std::string& each : into.choices) into.value += (into.value.empty() ? "" : "|") + each;
    return;
  }
  if (type.find('|') != std::string_view::npos) {
    into.choices = words_of(type, '|');
  } else {
    type = type.substr(0, type.find(':'));
  }
  into.value = type;
}

}  // namespace

std::string option_view::flags(bool aligned) const {
  std::string out;
  for (const std::string& each : shorts) out += (out.empty() ? "" : ", ") + each;
  for (const std::string& each : longs) out += (!out.empty() ? ", " : aligned ? "    " : "") + each;
  return value.empty() ? out : out + " " + value;
}

std::vector<option_view> options_of(const CLI::App& app) {
  std::vector<option_view> all;
  for (const CLI::Option* each : app.get_options()) {
    if (!each->nonpositional() || each->get_group().empty()) continue;
    option_view made;
    for (const std::string& name : each->get_snames()) made.shorts.push_back("-" + name);
    for (const std::string& name : each->get_lnames()) made.longs.push_back("--" + name);
    if (each->get_items_expected_max() > 0) read_value(each->get_type_name(), made);
    made.description = each->get_description();
    made.group = each->get_group();
    all.push_back(std::move(made));
  }
  // -h closes the first group: it is what a reader of the help needs least.
  const auto help = std::ranges::find_if(
      all, [](const option_view& each) { return std::ranges::find(each.longs, "--help") != each.longs.end(); });
  if (help != all.end()) std::rotate(help, help + 1, all.end());
  std::vector<std::string> groups;
  for (const option_view& each : all) {
    if (std::ranges::find(groups, each.group) == groups.end()) groups.push_back(each.group);
  }
  // The verb's own options come first, whatever was defined first.
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& each) { return each == "Options"; });
  std::ranges::stable_sort(
      all, {}, [&groups](const option_view& each) { return std::ranges::find(groups, each.group) - groups.begin(); });
  return all;
}

std::vector<place_view> places_of(std::string_view usage) {
  std::vector<place_view> places;
  bool value_follows = false;
  for (const std::string& word : split(usage, ' ')) {
    std::string bare;
    std::ranges::copy_if(word, std::back_inserter(bare), [](char c) { return c != '[' && c != ']'; });
    const bool repeats = bare.ends_with("...") || bare.ends_with("…");
    bare = bare.substr(0, bare.find(bare.ends_with("…") ? "…" : "..."));
    if (bare.starts_with('-')) {  // an option that the usage names, and its value; "--" alone ends the options
      value_follows = bare != "--" && bare.find('=') == std::string::npos;
    } else if (value_follows || bare.empty()) {
      value_follows = false;
    } else if (bare.find('|') != std::string::npos) {
      places.push_back({bare, words_of(bare, '|'), repeats});
    } else {
      places.push_back({bare, {}, repeats});
    }
  }
  return places;
}

bool connects(const CLI::App& app) { return app.get_option_no_throw("--url") != nullptr; }

}  // namespace holdfast::cli
