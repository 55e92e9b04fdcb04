#include "manual/wrap.hpp"

#include <algorithm>

namespace holdfast::cli {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string& last = lines.back();
    if (!last.empty() && columns(last) + 1 + columns(word) > width) {
      lines.emplace_back(word);
    } else {
      last += (last.empty() ? "" : " ") + std::string{word};
    }
  }
  return lines;
}

}  // namespace holdfast::cli
