// holdfast __complete WORD…: what the shells' scripts call. Not a verb that people see.
//
// Prints a first line that says what else may stand there (":nothing", ":files", ":command N"), then a candidate per
// line, with a tab and its description where it has one.
#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

inline constexpr const char* completion_word = "__complete";

int answer_completion(const std::vector<std::string>& words);

}  // namespace holdfast::cli
