#include "doctor/text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace holdfast::doctor {
namespace {

std::string format(const char* form, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), form, value);
  return text.data();
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (std::abs(size) < 1024) return format("%.0f bytes", size);
  if (std::abs(size) < 1048576) return format("%.1f KiB", size / 1024);
  if (std::abs(size) < 1073741824) return format("%.1f MiB", size / 1048576);
  return format("%.1f GiB", size / 1073741824);
}

std::string time_text(std::chrono::nanoseconds length) {
  const double ms = static_cast<double>(length.count()) / 1e6;
  const double size = std::abs(ms);
  if (size < 10) return format("%.2f ms", ms);
  if (size < 1000) return format("%.0f ms", ms);
  if (size < 120'000) return format("%.1f s", ms / 1000);
  if (size < 7'200'000) return format("%.1f min", ms / 60'000);
  return format("%.1f h", ms / 3'600'000);
}

std::string percent_text(double share) { return format("%.0f %%", share * 100); }

}  // namespace holdfast::doctor
