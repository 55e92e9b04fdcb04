// The seed of a random test: another one each time, and printed, unless HOLDFAST_TEST_SEED asks for an earlier run again.
#pragma once

#include <cstdlib>
#include <iostream>
#include <random>

namespace holdfast::test {

inline unsigned make_seed() {
  const char* const given = std::getenv("HOLDFAST_TEST_SEED");
  const unsigned used =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  std::cout << "HOLDFAST_TEST_SEED=" << used << '\n';
  return used;
}

}  // namespace holdfast::test
