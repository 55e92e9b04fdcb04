#include "doctor/info.hpp"

#include <charconv>

namespace holdfast::doctor {

std::optional<std::int64_t> as_number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || rest != end) return std::nullopt;
  return value;
}

info::info(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find_first_of("\r\n");
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.front() == '#') continue;
    fields_.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
}

std::string_view info::text(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? std::string_view{} : std::string_view{found->second};
}

std::optional<std::int64_t> info::number(std::string_view name) const { return as_number(text(name)); }

}  // namespace holdfast::doctor
