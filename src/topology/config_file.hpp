// A config file as a source of settings: lines `key = value`.
//
// Blanks around key and value do not count. `#` starts a comment at a line's beginning or after a blank, so that a
// password or a URL may have one inside. A file that holds a password (or a URL with one) must not be readable by
// everybody. Lines are never quoted in error texts, for a line can be a password; path and line number lead to it.
// Thread-safe: reads the file once, keeps nothing.
#pragma once

#include "topology/source.hpp"

#include <holdfast/settings_report.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::topology {

// The text of a config file; `path` is for the origins. Pure.
[[nodiscard]] result<source> parse_config(std::string_view text, std::string_view path);

// The file itself; nothing where there is none. Every other obstacle is a failure: a file that exists but is ignored
// would surprise its author.
[[nodiscard]] result<std::optional<source>> read_config_file(const std::string& path);

struct config_files {
  std::vector<source> found;         // from the weakest to the strongest
  std::vector<config_place> places;  // where they were looked for, likewise
};

inline constexpr const char* system_config = "/etc/holdfast.conf";

// $HOLDFAST_CONFIG alone if it is set, which must exist then; else `system_wide`, and over it
// $XDG_CONFIG_HOME/holdfast.conf (~/.config without it), key by key.
[[nodiscard]] result<config_files> find_config(const char* const* variables,
                                               const std::string& system_wide = system_config);

}  // namespace holdfast::topology
