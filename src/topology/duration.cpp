// See duration.hpp.
#include "topology/duration.hpp"

#include <charconv>
#include <cstdint>

namespace holdfast::topology {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, count);
  if (problem != std::errc{}) return std::nullopt;

  const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
  std::uint64_t factor = 0;
  if (unit.empty() || unit == "ms") factor = 1;
  if (unit == "s") factor = 1000;
  if (unit == "m") factor = 60'000;

  const auto most = static_cast<std::uint64_t>(longest_duration.count());
  if (factor == 0 || count == 0 || count > most / factor) return std::nullopt;
  return std::chrono::milliseconds{static_cast<std::int64_t>(count * factor)};
}

std::string format_duration(std::chrono::milliseconds value) {
  const auto count = value.count();
  if (count != 0 && count % 60'000 == 0) return std::to_string(count / 60'000) + "m";
  if (count != 0 && count % 1000 == 0) return std::to_string(count / 1000) + "s";
  return std::to_string(count) + "ms";
}

}  // namespace holdfast::topology
