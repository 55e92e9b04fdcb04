// What the keys do. Pure: bytes in, a changed state out.
//
//   key              while watching              while typing a filter
//   q, ^C            quits                       ^C quits, q is a letter
//   s                the next order              a letter
//   / (or f)         begins to type a filter     a letter
//   Esc              clears the filter           clears it and ends typing
//   Enter            -                           ends typing
//   up down j k      scrolls by a line           -
//   PgUp PgDn        scrolls by a page           -
//   space, p         holds the picture           a letter
//   ?, h             shows the keys              a letter
#pragma once

#include "watch/board.hpp"

#include <string>
#include <string_view>

namespace holdfast::cli::watch {

struct controls {
  order sorted = order::name;
  std::string filter;
  bool typing = false;
  bool paused = false;
  bool help = false;
  bool quit = false;
  std::size_t top = 0;  // the first row shown
};

// `page`: rows that fit the screen; `rows`: how many there are.
void press(controls& state, std::string_view bytes, std::size_t page, std::size_t rows);

}  // namespace holdfast::cli::watch
