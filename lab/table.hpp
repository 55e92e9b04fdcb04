// Records as plain text: columns lined up, nothing that a terminal would have to understand.
#pragma once

#include <string>
#include <vector>

#include "record.hpp"

namespace lab {

// "  12.345" milliseconds.
std::string milliseconds_text(nanoseconds time);

// Rows of cells in columns two blanks apart; the first row is the head and is underlined.
std::string columns_text(const std::vector<std::vector<std::string>>& rows);

// One experiment: title, its steps where `with_steps`, what was expected and seen.
std::string record_text(const record& what, bool with_steps);

// One line for each, and the last line: how many agree.
std::string summary_text(const std::vector<record>& all);

// Names and titles.
struct entry {
  std::string name;
  std::string title;
};
std::string list_text(const std::vector<entry>& all);

}  // namespace lab
