// What the measurements of `holdfast bench` come to: quantiles, rates, and each as a multiple of PING. No I/O.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// One measurement of one round, as it was taken.
struct measurement {
  std::string_view name;   // for programs: "lock_unlock"
  std::string_view title;  // for people
  std::vector<std::chrono::nanoseconds> samples;
  std::chrono::nanoseconds took{};  // from its first to its last operation
  int callers = 1;
};

using bench_round = std::vector<measurement>;  // PING first, then the others, in the same order in every round

// Over all rounds.
struct figures {
  std::string_view name;
  std::string_view title;
  std::uint64_t count = 0;
  double p50_us = 0;
  double p99_us = 0;
  double per_second = 0;
  // What one operation costs, in PINGs of its own round; the median of the rounds. The cost is the p50 for one caller; of
  // several callers together, the time in which one operation of any of them is done.
  double to_ping = 0;
};

[[nodiscard]] std::vector<figures> figures_of(const std::vector<bench_round>& rounds);

[[nodiscard]] std::string figures_text(const std::vector<figures>& all, bool coloured);
[[nodiscard]] std::string figures_json(const std::vector<figures>& all);  // an array

}  // namespace holdfast::cli
