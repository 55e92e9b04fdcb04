#include "run/tick.hpp"

#include <algorithm>

namespace holdfast::cli {

using std::chrono::microseconds;
using std::chrono::milliseconds;

milliseconds tick_lead(milliseconds period) noexcept {
  return std::min<milliseconds>(period / 10, std::chrono::seconds{30});
}

milliseconds until_next_tick(microseconds now, milliseconds period) noexcept {
  const microseconds into = (now + tick_lead(period)) % microseconds{period};
  return std::chrono::ceil<milliseconds>(microseconds{period} - into);
}

std::string mark_key(std::string_view lock_key) {
  std::string made{lock_key};
  if (made.find('{') == std::string::npos) made = "{" + made + "}";
  return made + ":once";
}

}  // namespace holdfast::cli
