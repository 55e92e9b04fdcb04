// Text in lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// Columns that the text takes on a terminal: bytes, less the continuation bytes of UTF-8.
[[nodiscard]] std::size_t columns(std::string_view text);

// Breaks at blanks; a word longer than `width` has a line of its own. At least one line.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace holdfast::cli
