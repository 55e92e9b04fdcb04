// Stands for a test program (tests/unit/runner_test.cpp): watched by the runner, it says "ready" and ends as it is told. Its
// argument is the file for void runs.
#include <cstdlib>
#include <iostream>
#include <string>

#include "runner/watched.hpp"

int main(int, char** argv) {
  return holdfast::test::run_watched(argv, argv[1], [] {
    std::cout << "ready" << std::endl;
    std::string word;
    std::getline(std::cin, word);
    if (word == "crash") std::abort();
    return word == "pass" ? 0 : 1;
  });
}
