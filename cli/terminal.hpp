// What standard output and standard error can show, and text made safe for them.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

// A terminal, and neither NO_COLOR nor TERM=dumb speaks against colours.
[[nodiscard]] bool has_colours(int descriptor);

enum class colour : unsigned char { red, green, yellow, cyan, bold, dim };
// The text in that colour, or as it is.
[[nodiscard]] std::string paint(bool coloured, colour how, std::string_view text);

// Control characters and bytes that are not printable as \xNN: a lock's name must not move the cursor.
[[nodiscard]] std::string printable(std::string_view text);

// All of it, or an exception: a full disk or a closed pipe must not look like success.
void print(std::string_view text);

}  // namespace holdfast::cli
