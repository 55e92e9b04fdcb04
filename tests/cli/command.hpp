// The built command, as a person or a script would run it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "support/places.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

inline const std::string program = binary_dir() + "/bin/holdfast";

using environment = std::map<std::string, std::string>;

// How one run of the command ended.
struct outcome {
  exit_status status;
  std::string out;
  std::string err;
  std::chrono::milliseconds took{};

  [[nodiscard]] int code() const { return status.code; }
};

// A run that is under way: standard output by lines through `process`, standard error in a file.
class command {
 public:
  explicit command(std::vector<std::string> words, environment variables = {});

  [[nodiscard]] process& running() { return process_; }
  // What it has written to standard error so far.
  [[nodiscard]] std::string err() const;
  // Waits for its end; fails the test and kills it when the limit passes.
  [[nodiscard]] outcome finish(std::chrono::milliseconds limit = std::chrono::seconds{30});

 private:
  temp_dir dir_;
  std::chrono::steady_clock::time_point started_;
  process process_;
};

// `holdfast WORDS…` from start to end, with an empty standard input.
[[nodiscard]] outcome holdfast_run(const std::vector<std::string>& words, const environment& variables = {},
                                   std::chrono::milliseconds limit = std::chrono::seconds{30});

}  // namespace holdfast::test
