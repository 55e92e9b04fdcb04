// The screen as lines of text, from what is known and what the keys asked for. Pure; each line fits the width.
#pragma once

#include "watch/board.hpp"
#include "watch/keys.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli::watch {

struct canvas {
  std::size_t width = 80;
  std::size_t height = 24;
  bool coloured = false;
};

// Lines above and below the rows.
constexpr std::size_t frame_lines = 5;

[[nodiscard]] std::vector<std::string> draw(const board& known, const controls& state, const canvas& on,
                                            std::string_view where, std::string_view trouble);

// The bar of what is left: full at `longest`, "█████░░░░░".
[[nodiscard]] std::string bar(double share, std::size_t width);

}  // namespace holdfast::cli::watch
