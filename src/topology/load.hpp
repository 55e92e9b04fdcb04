// All sources together, without starting anything: what settings::load and `holdfast config` share.
//
// Reads the environment and at most one config file; as with getenv, nobody may change the environment meanwhile.
#pragma once

#include "topology/compose.hpp"

#include <string_view>

namespace holdfast::topology {

// `url` empty: none. `variables` as in environ(7).
[[nodiscard]] result<composed> load_with_origins(std::string_view url, const char* const* variables);

}  // namespace holdfast::topology
