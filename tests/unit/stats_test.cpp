// The histogram's buckets and quantiles, and the counters by kind.
#include <holdfast/stats.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace holdfast {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(Histogram, AnEmptyOneAnswersZero) {
  const histogram empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.sum(), nanoseconds{0});
  EXPECT_EQ(empty.quantile(0.5), nanoseconds{0});
}

TEST(Histogram, EachBucketHoldsItsDoubling) {
  const auto bucket_of = [](nanoseconds duration) {
    histogram one;
    one.record(duration);
    for (std::size_t i = 0; i < histogram::buckets; ++i) {
      if (one.counts()[i] == 1) return i;
    }
    return histogram::buckets;
  };
  EXPECT_EQ(bucket_of(nanoseconds{0}), 0U);
  EXPECT_EQ(bucket_of(nanoseconds{999}), 0U);
  EXPECT_EQ(bucket_of(microseconds{1}), 1U);
  for (std::size_t i = 1; i + 1 < histogram::buckets; ++i) {
    EXPECT_EQ(bucket_of(microseconds{std::int64_t{1} << (i - 1)}), i);
    EXPECT_EQ(bucket_of(microseconds{(std::int64_t{1} << i) - 1}), i);
  }
  EXPECT_EQ(bucket_of(hours{24 * 3650}), histogram::buckets - 1);
  EXPECT_EQ(bucket_of(nanoseconds{-5}), 0U) << "a clock that went astray breaks nothing";
}

TEST(Histogram, QuantilesAreUpperEdges) {
  histogram waits;
  for (int i = 0; i < 90; ++i) waits.record(microseconds{3});     // [2, 4) µs
  for (int i = 0; i < 10; ++i) waits.record(microseconds{1000});  // [512, 1024) µs
  EXPECT_EQ(waits.count(), 100U);
  EXPECT_EQ(waits.sum(), microseconds{90 * 3 + 10 * 1000});
  EXPECT_EQ(waits.quantile(0.0), microseconds{4});
  EXPECT_EQ(waits.quantile(0.5), microseconds{4});
  EXPECT_EQ(waits.quantile(0.9), microseconds{4});
  EXPECT_EQ(waits.quantile(0.91), microseconds{1024});
  EXPECT_EQ(waits.quantile(1.0), microseconds{1024});
  EXPECT_EQ(waits.quantile(7.0), microseconds{1024}) << "shares beyond 1 are 1";
  EXPECT_EQ(waits.quantile(-1.0), microseconds{4});
}

TEST(Stats, CountersByKindHaveRoomForEveryKind) {
  stats counted;
  counted.errors[static_cast<std::size_t>(errc::forked)] = 3;
  counted.lost[static_cast<std::size_t>(loss_cause::closed)] = 4;
  EXPECT_EQ(counted.of(errc::forked), 3U);
  EXPECT_EQ(counted.of(loss_cause::closed), 4U);
  EXPECT_EQ(counted.of(errc::held), 0U);
}

}  // namespace
}  // namespace holdfast
