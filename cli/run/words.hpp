// The options and words that `run` and `elect` have in common.
#pragma once

#include "run/terms.hpp"

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void add_conflict_code(CLI::App& app, run_request& into, const std::string& help);  // -E
void add_command(CLI::App& app, run_request& into);                                 // -c, -v; what follows is COMMAND's
void add_loss(CLI::App& app, run_request& into, const std::string& choices);        // --on-lost, --grace

// After the parse: COMMAND and its arguments.
void read_command(const CLI::App& app, run_request& into);

}  // namespace holdfast::cli
