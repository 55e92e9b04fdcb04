// Owner ids and pauses: form, range and that they differ.
#include "runtime/random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace holdfast::runtime {
namespace {

using std::chrono::nanoseconds;

TEST(Random, HexIs16DigitsAppendedAndNeverTheSame) {
  random_source random;
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {  // many blocks
    std::string id = "id:";
    random.append_hex(id);
    ASSERT_EQ(id.size(), 19U);
    ASSERT_TRUE(id.starts_with("id:"));
    ASSERT_EQ(id.find_first_not_of("0123456789abcdef", 3), std::string::npos);
    ASSERT_TRUE(seen.insert(id).second);
  }
}

TEST(Random, TwoSourcesShareNothing) {
  random_source a;
  random_source b;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(seen.insert(a.number()).second);
    ASSERT_TRUE(seen.insert(b.number()).second);
  }
}

TEST(Random, EveryBitIsUsed) {
  random_source random;
  std::uint64_t ones = 0;
  std::uint64_t zeros = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t drawn = random.number();
    ones |= drawn;
    zeros |= ~drawn;
  }
  EXPECT_EQ(ones, ~std::uint64_t{0});
  EXPECT_EQ(zeros, ~std::uint64_t{0});
}

TEST(Random, BetweenIncludesBothEndsAndNothingElse) {
  random_source random;
  std::set<nanoseconds> seen;
  for (int i = 0; i < 2000; ++i) {
    const nanoseconds drawn = random.between(nanoseconds{5}, nanoseconds{9});
    ASSERT_GE(drawn, nanoseconds{5});
    ASSERT_LE(drawn, nanoseconds{9});
    seen.insert(drawn);
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST(Random, AnEmptyRangeIsItsLeast) {
  random_source random;
  EXPECT_EQ(random.between(nanoseconds{7}, nanoseconds{7}), nanoseconds{7});
  EXPECT_EQ(random.between(nanoseconds{7}, nanoseconds{3}), nanoseconds{7});
}

}  // namespace
}  // namespace holdfast::runtime
