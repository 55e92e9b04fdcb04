// The main function of all test programs. Under ctest, which names a file for void runs in HOLDFAST_TEST_VOID_RUNS,
// tests are watched (watched.hpp); by hand and in a debugger they just run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "runner/watched.hpp"

int main(int argc, char** argv) {
  std::vector<char*> given{argv, argv + argc + 1};  // GoogleTest takes its own out of argv
  testing::InitGoogleTest(&argc, argv);
  const char* void_runs = std::getenv("HOLDFAST_TEST_VOID_RUNS");
  if (void_runs == nullptr || testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  return holdfast::test::run_watched(given.data(), void_runs, [] { return RUN_ALL_TESTS(); });
}
