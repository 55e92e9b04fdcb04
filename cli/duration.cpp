#include "duration.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace holdfast::cli {

using std::chrono::milliseconds;

std::optional<milliseconds> read_duration(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (read.ec != std::errc{}) return std::nullopt;
  const std::string_view unit{read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr)};
  struct scale {
    std::string_view unit;
    double ms;
  };
  static constexpr std::array<scale, 6> scales{
      {{"", 1e3}, {"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}}};
  for (const scale& each : scales) {
    if (each.unit != unit) continue;
    const double ms = number * each.ms;
    if (!(ms >= 0) || ms > 3.2e13) return std::nullopt;  // a thousand years
    return milliseconds{std::llround(ms)};
  }
  return std::nullopt;
}

CLI::Option* add_duration(CLI::App& app, const std::string& flags, std::optional<milliseconds>& into,
                          const std::string& help) {
  const CLI::callback_t take = [&into](const std::vector<std::string>& given) {
    into = read_duration(given.back());
    return into.has_value();
  };
  CLI::Option* const made = app.add_option(flags, take, help);
  made->type_name("TIME")->check([](const std::string& given) {
    return read_duration(given) ? std::string{} : "'" + given + "' is not a duration; write 0.5, 30s, 250ms, 5m, 2h";
  });
  return made;
}

std::string duration_text(milliseconds length) {
  const auto ms = length.count();
  std::array<char, 48> text{};
  if (ms < 1000) {
    std::snprintf(text.data(), text.size(), "%lld ms", static_cast<long long>(ms));
  } else if (ms < 60'000) {
    std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ms) / 1000);
  } else if (ms < 3'600'000) {
    std::snprintf(text.data(), text.size(), "%lld min %lld s", static_cast<long long>(ms / 60'000),
                  static_cast<long long>(ms / 1000 % 60));
  } else {
    std::snprintf(text.data(), text.size(), "%lld h %lld min", static_cast<long long>(ms / 3'600'000),
                  static_cast<long long>(ms / 60'000 % 60));
  }
  return text.data();
}

}  // namespace holdfast::cli
