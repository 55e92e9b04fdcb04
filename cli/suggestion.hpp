// The word that somebody probably meant.
#pragma once

#include <string_view>
#include <vector>

namespace holdfast::cli {

// The known word with the fewest changes of a letter from `word`; empty if none is near.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace holdfast::cli
