// --help, and the overview of all verbs, from the verbs' own words and options.
#pragma once

#include "verb.hpp"

#include <string>

namespace holdfast::cli {

// Names the app after the verb and has the verb add its options.
void prepare(verb& what, CLI::App& app);

[[nodiscard]] std::string help_text(const verb& what, const CLI::App& app);
[[nodiscard]] std::string overview_text();

}  // namespace holdfast::cli
