// Rounds and what to make of them. A noisy machine slows both sides of a comparison, so the floor and ours take turns,
// each round gives its own ratio, and the median of those ratios is what counts.
#pragma once

#include "report.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace holdfast::bench {

using clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: comparable between processes of one machine

// The value below which the part `share` (0 to 1) of all lies; of nothing, not a number.
double percentile(std::vector<double> values, double share);
inline double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

// Processor time of this process, or of those of its children that have ended and were waited for, in seconds.
enum class whose : unsigned char { own, children };
double processor_seconds(whose);

// Runs `once` over and over for about `length`; how often per second.
template <class Once>
double rate(std::chrono::nanoseconds length, Once&& once) {
  const auto begin = clock::now();
  const auto end = begin + length;
  std::uint64_t count = 0;
  auto now = begin;
  do {
    once();
    ++count;
    now = clock::now();
  } while (now < end);
  return static_cast<double>(count) / std::chrono::duration<double>{now - begin}.count();
}

// Rates of both sides, round by round.
struct rounds {
  std::vector<double> floor;
  std::vector<double> ours;

  [[nodiscard]] std::vector<double> ours_to_floor() const;  // throughput: more is better
  [[nodiscard]] std::vector<double> time_ratio() const;     // time for one: less is better
};

// One round of each to warm up, then `count` of each; who goes first changes from round to round, so that neither
// profits from what the other left behind.
rounds interleave(unsigned count, const std::function<double()>& floor, const std::function<double()>& ours);

// The usual figures: median rates of both under these names, the spread of the ratios, the number of rounds.
void add_figures(report& to, const rounds& all, const std::vector<double>& ratios, const char* floor_name,
                 const char* ours_name);

}  // namespace holdfast::bench
