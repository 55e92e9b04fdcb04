// Percentiles by nearest rank, and the turns that the two sides take.
#include "statistics.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace holdfast::bench {

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto last = static_cast<double>(values.size() - 1);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::lround(share * last));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

double processor_seconds(whose who) {
  rusage used{};
  ::getrusage(who == whose::own ? RUSAGE_SELF : RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::vector<double> rounds::ours_to_floor() const {
  std::vector<double> out;
  for (std::size_t i = 0; i < ours.size(); ++i) out.push_back(ours[i] / floor[i]);
  return out;
}

std::vector<double> rounds::time_ratio() const {
  std::vector<double> out;
  for (std::size_t i = 0; i < ours.size(); ++i) out.push_back(floor[i] / ours[i]);
  return out;
}

rounds interleave(unsigned count, const std::function<double()>& floor, const std::function<double()>& ours) {
  static_cast<void>(floor());
  static_cast<void>(ours());
  rounds all;
  for (unsigned i = 0; i < count; ++i) {
    if (i % 2 == 0) all.floor.push_back(floor());
    all.ours.push_back(ours());
    if (i % 2 == 1) all.floor.push_back(floor());
  }
  return all;
}

void add_figures(report& to, const rounds& all, const std::vector<double>& ratios, const char* floor_name,
                 const char* ours_name) {
  to.figure(std::string{floor_name} + "_per_second", median(all.floor), "pairs/s");
  to.figure(std::string{ours_name} + "_per_second", median(all.ours), "pairs/s");
  to.figure("ratio_least", percentile(ratios, 0), "");
  to.figure("ratio_p25", percentile(ratios, 0.25), "");
  to.figure("ratio_p75", percentile(ratios, 0.75), "");
  to.figure("ratio_most", percentile(ratios, 1), "");
  to.figure("rounds", static_cast<double>(ratios.size()), "of each");
}

}  // namespace holdfast::bench
