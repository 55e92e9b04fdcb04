// The one line with which `run`, and `elect` for each term, says how it went: a sentence, or with --json an object.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace holdfast::cli {

struct run_report {
  std::string name;
  std::string reason;  // one word: exited, signal, held, timed_out, unreachable, lost, already_ran, interrupted, …
  std::string detail;  // the sentence; empty: there is nothing to say to people
  int exit_code = 0;
  std::chrono::milliseconds waited{};
  std::chrono::milliseconds held{};
  std::optional<std::uint64_t> fence;
  std::optional<std::string> cause;  // of a loss

  void end(int code, std::string why, std::string sentence);
};

[[nodiscard]] std::string to_json(const run_report& what);

// The object with --json, else the sentence if there is one.
void tell(const run_report& what, bool json) noexcept;

// Does the work, which fills in the report; what it throws becomes the report's end. Tells it, and returns its exit code.
int run_and_tell(run_report& what, bool json, const std::function<void()>& work);

// To standard error in one piece. A standard error that cannot be written changes nothing about the exit code.
void say(std::string text) noexcept;

}  // namespace holdfast::cli
