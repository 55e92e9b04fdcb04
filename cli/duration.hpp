// Durations on the command line: seconds as in flock(1), fractions allowed, or with a unit: 0.5  30s  250ms  5m  2h  1d.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

// Nothing if it cannot be understood, is negative or does not fit.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

// An option that takes one; a wrong one is a usage error that names it.
CLI::Option* add_duration(CLI::App& app, const std::string& flags, std::optional<std::chrono::milliseconds>& into,
                          const std::string& help);

// "1.5 s", "250 ms", "2 h 5 min": for people.
[[nodiscard]] std::string duration_text(std::chrono::milliseconds length);

}  // namespace holdfast::cli
