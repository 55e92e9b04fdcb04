// The main function of all test programs. Under ctest, which sets HOLDFAST_TEST_WATCHED, tests are watched (watched.hpp);
// by hand and in a debugger they just run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "runner/watched.hpp"

int main(int argc, char** argv) {
  std::vector<char*> given{argv, argv + argc + 1};  // GoogleTest takes its own out of argv
  testing::InitGoogleTest(&argc, argv);
  if (std::getenv("HOLDFAST_TEST_WATCHED") == nullptr || testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  return holdfast::test::run_watched(given.data(), [] { return RUN_ALL_TESTS(); });
}
