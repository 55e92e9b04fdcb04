// What a cache keeps and what is done about it; and the texts of its values. No server.
#include "lock/cache_entry.hpp"

#include <gtest/gtest.h>
#include <holdfast/codec.hpp>

#include <cstdint>
#include <limits>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

resp::value text(std::string what, resp::kind type = resp::kind::bulk) { return {type, 0, 0, std::move(what), {}}; }
resp::value number(std::int64_t what) { return {resp::kind::integer, what, 0, {}, {}}; }

std::optional<cache_entry> kept(std::chrono::milliseconds fresh, std::chrono::milliseconds stale = 0ms) {
  cache_entry made;
  made.fresh = fresh;
  made.stale = stale;
  made.took = 100ms;
  return made;
}

TEST(CacheEntry, IsWrittenAndRead) {
  cache_entry made;
  made.stale = 500ms;
  made.took = 1234us;
  made.text = "a b\n";
  const auto read = read_entry(text("17" + write_entry_tail(made)), number(1500));
  ASSERT_TRUE(read);
  ASSERT_TRUE(*read);
  EXPECT_EQ((*read)->number, 17U);
  EXPECT_EQ((*read)->fresh, 1000ms);
  EXPECT_EQ((*read)->took, 1234us);
  EXPECT_EQ((*read)->text, "a b\n");
  EXPECT_EQ((*read)->what, cache_entry::kind::value);
  EXPECT_FALSE(*read_entry({}, number(-2)));
  EXPECT_FALSE(*read_entry(text("17 0 0 v x"), number(-2))) << "it ended between the two answers";
}

TEST(CacheEntry, WhatIsNotOfItsFormIsWrongType) {
  for (const char* odd : {"", "hello", "17", "17 0 0", "17 0 0 v", "17 0 0 x text", "17 -1 0 v t", "17 0 -1 v t",
                          "x 0 0 v t", "17 0 0 vv t"}) {
    const auto read = read_entry(text(odd), number(1));
    ASSERT_FALSE(read) << odd;
    EXPECT_EQ(read.code(), errc::wrong_type);
  }
  EXPECT_EQ(read_entry(text("17 0 0 v t"), number(-1)).code(), errc::wrong_type) << "ours always expire";
  EXPECT_EQ(read_entry(text("NOPERM no", resp::kind::error), number(1)).code(), errc::refused);
}

TEST(CacheEntry, IsServedLoadedOrRefreshed) {
  EXPECT_EQ(judge(std::nullopt, 1, 1), cache_step::load);
  EXPECT_EQ(judge(kept(10s), 1, 1), cache_step::serve);
  EXPECT_EQ(judge(kept(-1ms, 1s), 1, 1), cache_step::refresh) << "stale";
  EXPECT_EQ(judge(kept(0ms), 1, 1), cache_step::load);
  auto erased = kept(10s);
  erased->what = cache_entry::kind::erased;
  EXPECT_EQ(judge(erased, 1, 1), cache_step::load);
}

TEST(CacheEntry, IsLoadedEarlyByChanceAndForCertainInTheLastTwoLoadingTimes) {
  EXPECT_EQ(judge(kept(200ms), 1, 1), cache_step::refresh);
  EXPECT_EQ(judge(kept(201ms), 1, 1), cache_step::serve);
  EXPECT_EQ(judge(kept(201ms), 0, 0.0001), cache_step::serve) << "switched off";
  EXPECT_EQ(judge(kept(400ms), 2, 1), cache_step::refresh) << "twice as early";
  // -ln(0.01) is 4.6: the rarer, the earlier.
  EXPECT_EQ(judge(kept(460ms), 1, 0.01), cache_step::refresh);
  EXPECT_EQ(judge(kept(461ms), 1, 0.01), cache_step::serve);
}

template <class T>
void survives(const T& value) {
  EXPECT_EQ(codec<T>::decode(codec<T>::encode(value)), value);
}

TEST(Codec, ValuesSurviveTheRoundTrip) {
  survives<std::string>(std::string{"a\0b", 3});
  survives(true);
  survives(false);
  survives(std::numeric_limits<std::int64_t>::min());
  survives(std::numeric_limits<std::uint64_t>::max());
  survives(0.1);
  survives(std::numeric_limits<double>::denorm_min());
  survives(std::chrono::milliseconds{-5});
  survives(timestamp_value{1234567890123456us});
  survives(timestamp_value{-1us});
  survives(std::chrono::sys_seconds{1s});
  EXPECT_THROW(codec<int>::decode("1x"), std::invalid_argument);
  EXPECT_THROW(codec<bool>::decode("1"), std::invalid_argument);
}

TEST(Codec, TimesAreIso8601) {
  EXPECT_EQ(to_iso8601(timestamp_value{0us}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_iso8601(timestamp_value{-1us}), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(from_iso8601("2024-02-29T23:59:59Z"), std::chrono::sys_days{std::chrono::year{2024} / 3 / 1} - 1s);
  EXPECT_EQ(from_iso8601("1970-01-01T00:00:00.5Z"), timestamp_value{500ms});
  for (const char* odd : {"", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00+00:00", "1970-13-01T00:00:00Z",
                          "2023-02-29T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:00:00.Z",
                          "1970-01-01T00:00:00.1234567Z", "+970-01-01T00:00:00Z", "1970-01-01T00:00:00Zx"}) {
    EXPECT_THROW(static_cast<void>(from_iso8601(odd)), std::invalid_argument) << odd;
  }
  EXPECT_THROW(static_cast<void>(to_iso8601(timestamp_value{std::chrono::days{4'000'000}})), std::out_of_range);
}

}  // namespace
}  // namespace holdfast::lock
