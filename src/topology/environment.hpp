// The environment as a source of settings: HOLDFAST_URL and HOLDFAST_<KEY>.
//
// A HOLDFAST_ variable that is not known is refused, for a misspelt time limit must not be silently ignored. Known but
// not settings are what the command exports to the processes it runs (HOLDFAST_NAME, HOLDFAST_FENCE, …),
// HOLDFAST_CONFIG (see config_file.hpp) and everything that starts with HOLDFAST_TEST_.
// A variable that is set to nothing counts as set: HOLDFAST_URL="$UNSET" must not quietly lead to the private Redis.
// Reads only the array it is given; as with getenv, nobody may change the environment meanwhile.
#pragma once

#include "topology/source.hpp"

#include <optional>
#include <string_view>

namespace holdfast::topology {

// `variables`: NAME=value texts, ended by a null pointer, as in environ(7). Null itself: none.
[[nodiscard]] result<source> read_environment(const char* const* variables);

// The value of one variable in such an array.
[[nodiscard]] std::optional<std::string_view> variable(const char* const* variables, std::string_view name);

}  // namespace holdfast::topology
