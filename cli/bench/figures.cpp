#include "bench/figures.hpp"

#include "json.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace holdfast::cli {
namespace {

using std::chrono::nanoseconds;

// The smallest sample that at least this share of all does not exceed.
double quantile_us(const std::vector<nanoseconds>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return static_cast<double>(sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1].count()) / 1e3;
}

double cost_us(const measurement& one) {
  if (one.samples.empty()) return 0;
  if (one.callers > 1) return static_cast<double>(one.took.count()) / 1e3 / static_cast<double>(one.samples.size());
  auto sorted = one.samples;
  std::ranges::sort(sorted);
  return quantile_us(sorted, 0.5);
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

std::vector<figures> figures_of(const std::vector<bench_round>& rounds) {
  std::vector<figures> all;
  for (std::size_t kind = 0; !rounds.empty() && kind < rounds.front().size(); ++kind) {
    figures made{.name = rounds.front()[kind].name, .title = rounds.front()[kind].title};
    std::vector<nanoseconds> samples;
    std::vector<double> ratios;
    nanoseconds took{};
    for (const bench_round& each : rounds) {
      samples.insert(samples.end(), each[kind].samples.begin(), each[kind].samples.end());
      took += each[kind].took;
      const double ping_us = cost_us(each.front());
      if (ping_us > 0 && !each[kind].samples.empty()) ratios.push_back(cost_us(each[kind]) / ping_us);
    }
    std::ranges::sort(samples);
    std::ranges::sort(ratios);
    made.count = samples.size();
    made.p50_us = quantile_us(samples, 0.5);
    made.p99_us = quantile_us(samples, 0.99);
    if (took.count() > 0)
      made.per_second = static_cast<double>(samples.size()) / std::chrono::duration<double>(took).count();
    if (!ratios.empty()) made.to_ping = ratios[ratios.size() / 2];
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
