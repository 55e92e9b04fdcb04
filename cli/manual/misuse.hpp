// What was wrong with the words after a verb, in one line: CLI11's findings in our words, with the option that was
// probably meant.
#pragma once

#include "verb.hpp"

#include <string>
#include <string_view>

namespace holdfast::cli {

// `app` as the failed parse left it.
[[nodiscard]] std::string misuse_text(const CLI::ParseError& wrong, const CLI::App& app, const manual& page);

// "there is no option '--tll'; did you mean '--ttl'?": for a verb that finds out by itself, since the words of another
// command follow its own.
[[nodiscard]] std::string unknown_option_text(std::string_view given, const CLI::App& app);

}  // namespace holdfast::cli
