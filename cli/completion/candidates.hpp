// What could stand where the cursor is: decided from the words so far, without a shell and without Redis.
//
// The shells' scripts (scripts.hpp) pass the words and show what comes back; all knowledge of verbs and options is here,
// so that three shells cannot disagree.
#pragma once

#include "verb.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct possible_word {
  std::string word;
  std::string description;
};

struct completion_plan {
  enum class rest : unsigned char {
    nothing,  // the candidates are all there is
    files,    // … or the name of a file
    command,  // a command of the system and its own arguments, from word number `from`
  };
  rest beyond = rest::nothing;
  std::size_t from = 0;
  std::vector<possible_word> candidates{};

  // Lock names that begin with `begin` are wanted, from the Redis that these words (--url, --prefix) name.
  struct names {
    std::string begin;
    std::vector<std::string> where;
  };
  std::optional<names> locks{};
};

// `words` without the command itself; the last one is the one under the cursor, maybe empty, maybe half.
[[nodiscard]] completion_plan plan_completion(const std::vector<std::string>& words);

}  // namespace holdfast::cli
