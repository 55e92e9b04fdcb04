// A config file as a source of settings: lines `key = value`.
//
// Blanks around key and value do not count. `#` starts a comment at a line's beginning or after a blank, so that a
// password or a URL may have one inside. A file that holds a password (or a URL with one) must not be readable by
// everybody. Lines are never quoted in error texts, for a line can be a password; path and line number lead to it.
// Thread-safe: reads the file once, keeps nothing.
#pragma once

#include "topology/source.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::topology {

// The text of a config file; `path` is for the origins. Pure.
[[nodiscard]] result<source> parse_config(std::string_view text, std::string_view path);

// The file itself; nothing where there is none. Every other obstacle is a failure: a file that exists but is ignored
// would surprise its author.
[[nodiscard]] result<std::optional<source>> read_config_file(const std::string& path);

// $HOLDFAST_CONFIG, which must exist if it is set; else the first that exists of $XDG_CONFIG_HOME/holdfast.conf
// (~/.config without it) and `system_wide`.
[[nodiscard]] result<source> find_config(const char* const* variables,
                                         const std::string& system_wide = "/etc/holdfast.conf");

}  // namespace holdfast::topology
