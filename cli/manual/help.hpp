// --help, and the overview of all verbs, from the verbs' own words and options.
//
// A help fits a screen: 80 columns, 40 lines. Usage, summary, options in groups, two examples, exit codes; what is longer
// stands in the man page (man.hpp), which is made from the same words.
#pragma once

#include "verb.hpp"

#include <string>

namespace holdfast::cli {

// Names the app after the verb and has the verb add its options.
void prepare(verb& what, CLI::App& app);

// `coloured`: headings in bold (terminal.hpp tells whether the output can show that).
[[nodiscard]] std::string help_text(const verb& what, const CLI::App& app, bool coloured);
[[nodiscard]] std::string overview_text(bool coloured);

}  // namespace holdfast::cli
