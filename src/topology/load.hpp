// All sources together, without starting anything: what settings::load and `holdfast config` share.
//
// Reads the environment and the config files; as with getenv, nobody may change the environment meanwhile.
#pragma once

#include "topology/compose.hpp"
#include "topology/config_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::topology {

struct loaded : composed {
  std::vector<config_place> files;
};

struct url_word {
  std::string_view text;            // empty: none
  std::string_view origin = "URL";  // what complaints and origins call it
};

// `variables` as in environ(7); `system_wide` is the system's config file.
[[nodiscard]] result<loaded> load_with_origins(url_word url, const char* const* variables,
                                               const std::string& system_wide = system_config);

}  // namespace holdfast::topology
