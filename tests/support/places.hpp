// Where things are: the repository, the build, and the helper programs. Functions and not macros, so that one file and
// not every test depends on where the repository lies.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::test {

std::string source_dir();
std::string binary_dir();

// The path of a program of tests/helpers.
std::string helper(std::string_view name);

}  // namespace holdfast::test
