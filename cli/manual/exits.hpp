// The exit codes of one verb: its own, and those that every verb shares.
#pragma once

#include "verb.hpp"

#include <vector>

namespace holdfast::cli {

// By number. What the verb itself says of a code stands; `all` adds those that happen rarely.
[[nodiscard]] std::vector<manual::exit_status> exits_of(const manual& page, const CLI::App& app, bool all);

}  // namespace holdfast::cli
