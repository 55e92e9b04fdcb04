// The scripts that teach a shell to complete: thin, since `holdfast __complete` (answer.hpp) knows everything.
#pragma once

#include <string_view>

namespace holdfast::cli {

[[nodiscard]] std::string_view bash_script();
[[nodiscard]] std::string_view zsh_script();
[[nodiscard]] std::string_view fish_script();

}  // namespace holdfast::cli
