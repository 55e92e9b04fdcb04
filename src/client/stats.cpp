#include <holdfast/stats.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace holdfast {

void histogram::record(std::chrono::nanoseconds duration) noexcept {
  const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count() / 1000, 0));
  const auto bucket = static_cast<std::size_t>(std::bit_width(micros));
  ++counts_[std::min(bucket, buckets - 1)];
  ++count_;
  sum_ += duration;
}

std::chrono::nanoseconds histogram::quantile(double share) const noexcept {
  if (count_ == 0) return {};
  const auto wanted = static_cast<std::uint64_t>(std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    seen += counts_[i];
    if (seen >= std::max<std::uint64_t>(wanted, 1)) return std::chrono::microseconds{std::uint64_t{1} << i};
  }
  return std::chrono::microseconds{std::uint64_t{1} << (buckets - 1)};
}

}  // namespace holdfast
