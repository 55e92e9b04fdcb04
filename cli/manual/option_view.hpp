// What a verb's options say of themselves: the one reading of CLI11's objects, for --help, the man pages and completion.
//
// Thread safety: plain values, made anew by each call.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

struct option_view {
  std::vector<std::string> shorts;   // "-w"
  std::vector<std::string> longs;    // "--wait"
  std::string value;                 // "TIME"; empty: a flag
  std::vector<std::string> choices;  // of the value, where only these are allowed
  std::string description;
  std::string group;  // "Options" unless the verb says otherwise

  // "-w, --wait TIME"; without a short name, room for one is left where `aligned`.
  [[nodiscard]] std::string flags(bool aligned) const;
};

// In the order of their definition, the groups together; hidden ones (group "") and positional arguments left out.
[[nodiscard]] std::vector<option_view> options_of(const CLI::App& app);

// What may follow the verb, from its usage: "NAME [--] COMMAND [ARGUMENT...]" gives NAME, COMMAND and ARGUMENT (which
// repeats). "bash|zsh|fish" is a place with choices.
struct place_view {
  std::string name;
  std::vector<std::string> choices;
  bool repeats = false;
};
[[nodiscard]] std::vector<place_view> places_of(std::string_view usage);

// Whether the verb talks to Redis.
[[nodiscard]] bool connects(const CLI::App& app);

}  // namespace holdfast::cli
