#include "cli/command.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace holdfast::test {
namespace {

// The shell opens the file and becomes the command: same process, and standard error apart from standard output.
std::vector<std::string> redirected(const std::string& file, std::vector<std::string> words) {
  std::vector<std::string> all{"/bin/sh", "-c", "file=$1; shift; exec \"$@\" 2>\"$file\"", "sh", file, program};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

command::command(std::vector<std::string> words, environment variables)
    : started_{std::chrono::steady_clock::now()},
      process_{redirected(dir_.file("stderr"), std::move(words)), {.environment = std::move(variables)}} {}

std::string command::err() const {
  std::ifstream file{dir_.file("stderr"), std::ios::binary};
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

outcome command::finish(std::chrono::milliseconds limit) {
  outcome seen;
  process_.close_input();
  seen.out = process_.read_rest(limit);
  const auto status = process_.wait(limit);
  seen.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started_);
  seen.err = err();
  if (status) {
    seen.status = *status;
  } else {
    ADD_FAILURE() << "the command did not end within " << limit.count() << " ms; standard error: " << seen.err;
    process_.kill();
  }
  return seen;
}

outcome holdfast_run(const std::vector<std::string>& words, const environment& variables,
                     std::chrono::milliseconds limit) {
  return command{words, variables}.finish(limit);
}

}  // namespace holdfast::test
