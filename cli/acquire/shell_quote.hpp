// A text as one word for the shell, whatever bytes it has.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

[[nodiscard]] inline std::string shell_quoted(std::string_view text) {
  constexpr std::string_view harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+,";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string_view::npos) return std::string{text};
  std::string out = "'";
  for (const char each : text) out += each == '\'' ? std::string{"'\\''"} : std::string{each};
  return out + "'";
}

}  // namespace holdfast::cli
