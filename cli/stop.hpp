// Ends the command from anywhere: an exit code, and the one line for standard error that says why.
#pragma once

#include <stdexcept>
#include <string>

namespace holdfast::cli {

class stop : public std::runtime_error {
 public:
  stop(int exit_with, const std::string& why) : std::runtime_error{why}, code{exit_with} {}
  int code;
};

}  // namespace holdfast::cli
