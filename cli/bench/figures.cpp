#include "bench/figures.hpp"

#include "json.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace holdfast::cli {
namespace {

// The smallest sample that at least this share of all does not exceed.
double quantile_us(const std::vector<std::chrono::nanoseconds>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return static_cast<double>(sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1].count()) / 1e3;
}

std::string format(const char* pattern, auto... values) {
  std::array<char, 160> out{};
  std::snprintf(out.data(), out.size(), pattern, values...);
  return out.data();
}

std::string time_text(double us) {
  if (us < 1000) return format("%.0f us", us);
  return us < 100'000 ? format("%.2f ms", us / 1e3) : format("%.0f ms", us / 1e3);
}

}  // namespace

std::vector<figures> figures_of(const std::vector<measurement>& measured) {
  std::vector<figures> all;
  for (const measurement& each : measured) {
    auto sorted = each.samples;
    std::ranges::sort(sorted);
    figures made{.name = each.name, .title = each.title, .count = sorted.size()};
    made.p50_us = quantile_us(sorted, 0.5);
    made.p99_us = quantile_us(sorted, 0.99);
    const double seconds = std::chrono::duration<double>(each.took).count();
    if (seconds > 0) made.per_second = static_cast<double>(sorted.size()) / seconds;
    const double ping_us = all.empty() ? made.p50_us : all.front().p50_us;
    const double cost_us = each.callers == 1 ? made.p50_us : made.per_second > 0 ? 1e6 / made.per_second : 0;
    if (ping_us > 0) made.to_ping = cost_us / ping_us;
    all.push_back(made);
  }
  return all;
}

std::string figures_text(const std::vector<figures>& all, bool coloured) {
  std::string out =
      paint(coloured, colour::bold, format("%-26s %10s %10s %12s %9s", "", "p50", "p99", "per second", "x PING"));
  out += "\n";
  for (const figures& each : all) {
    out += format("%-26s %10s %10s %12.0f %9.2f\n", std::string{each.title}.c_str(), time_text(each.p50_us).c_str(),
                  time_text(each.p99_us).c_str(), each.per_second, each.to_ping);
  }
  return out;
}

std::string figures_json(const std::vector<figures>& all) {
  json_array out;
  for (const figures& each : all) {
    out.raw(json_object{}
                .add("name", each.name)
                .add("count", each.count)
                .add("p50_us", each.p50_us)
                .add("p99_us", each.p99_us)
                .add("per_second", each.per_second)
                .add("to_ping", each.to_ping)
                .text());
  }
  return out.text();
}

}  // namespace holdfast::cli
