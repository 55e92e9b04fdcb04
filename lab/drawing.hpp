// A timeline as an SVG drawing: clients above, servers below, the guarded storage last; time from left to right.
//
// Colours are classes of the page's style sheet (page.cpp), so that the drawing follows the reader's light or dark mode.
#pragma once

#include <string>
#include <string_view>

#include "timeline.hpp"

namespace lab {

std::string drawing_text(const timeline& what, std::string_view title);

// For text between tags and in attributes.
std::string escaped(std::string_view text);

}  // namespace lab
