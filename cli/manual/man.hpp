// Man pages, holdfast(1) and holdfast-VERB(1), from the same words and options as --help.
//
// The build runs the command to make them (cmake/manual.cmake). The date is that of SOURCE_DATE_EPOCH where it is set,
// else today's.
#pragma once

#include "verb.hpp"

#include <string>

namespace holdfast::cli {

// `app` prepared for the verb (help.hpp).
[[nodiscard]] std::string man_page(const verb& what, const CLI::App& app);
[[nodiscard]] std::string overview_page();

}  // namespace holdfast::cli
