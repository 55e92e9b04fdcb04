#include "support/places.hpp"

namespace holdfast::test {

std::string source_dir() { return HOLDFAST_SOURCE_DIR; }

std::string binary_dir() { return HOLDFAST_BINARY_DIR; }

std::string helper(std::string_view name) { return std::string{HOLDFAST_HELPERS_DIR "/"}.append(name); }

}  // namespace holdfast::test
