// Implements temp_dir: mkdtemp, and a recursive removal that never throws.
#include "support/temp_dir.hpp"

#include <stdlib.h>

#include <cerrno>
#include <system_error>

namespace holdfast::test {

temp_dir::temp_dir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-test.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error{errno, std::generic_category(), "cannot create a directory like " + pattern};
  }
  path_ = pattern;
}

temp_dir::~temp_dir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace holdfast::test
