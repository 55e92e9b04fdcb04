// The built command on a terminal of its own (a pseudo-terminal): what a person sees, colours included.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace holdfast::test {

// Everything that it printed on the terminal, as a string with its escape sequences; by script(1) of util-linux.
[[nodiscard]] inline std::string on_a_terminal(const std::vector<std::string>& words, environment variables = {},
                                               std::chrono::milliseconds limit = std::chrono::seconds{20}) {
  std::string line = "'" + program + "'";
  for (const std::string& each : words) line += " '" + each + "'";
  variables.try_emplace("TERM", "xterm");
  process shown{{"script", "--quiet", "--return", "--command", line, "/dev/null"}, {.environment = variables}};
  const std::string seen = shown.read_rest(limit);
  static_cast<void>(shown.wait(limit));
  return seen;
}

}  // namespace holdfast::test
