// What was wrong with the words after a verb, in one line: CLI11's findings in our words, with the option that was
// probably meant.
#pragma once

#include "verb.hpp"

#include <string>

namespace holdfast::cli {

// `app` as the failed parse left it.
[[nodiscard]] std::string misuse_text(const CLI::ParseError& wrong, const CLI::App& app, const manual& page);

}  // namespace holdfast::cli
