// From names to keys: hash slots against the published vectors of Redis Cluster, tags, and what is refused.
#include "lock/names.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace holdfast::lock {
namespace {

TEST(Names, SlotsAreThoseOfRedisCluster) {
  EXPECT_EQ(slot_of("123456789"), 12739);  // 0x31C3, the check value of CRC-16/XMODEM
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("bar"), 5061);
  EXPECT_EQ(slot_of(""), 0);
}

TEST(Names, OnlyTheFirstNonEmptyTagCounts) {
  EXPECT_EQ(slot_of("{foo}.a"), slot_of("foo"));
  EXPECT_EQ(slot_of("x{foo}y{bar}"), slot_of("foo"));
  EXPECT_EQ(slot_of("{foo"), slot_of("{foo"));
  EXPECT_NE(slot_of("{foo"), slot_of("foo"));
  EXPECT_NE(slot_of("{}foo"), slot_of("foo")) << "an empty tag is none: the whole key counts";
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
}

TEST(Names, EverySlotHasAFenceTagThatHashesBackToIt) {
  std::set<std::uint32_t> tags;
  for (std::uint32_t slot = 0; slot < 16384; ++slot) {
    const std::uint32_t tag = fence_tag(static_cast<std::uint16_t>(slot));
    ASSERT_EQ(slot_of("holdfast:fence:{" + std::to_string(tag) + "}"), slot);
    tags.insert(tag);
  }
  EXPECT_EQ(tags.size(), 16384U);
}

TEST(Names, TheFenceTagIsTheSmallestNumberOfItsSlot) {
  // A counter must not move to another key when the table is built in another way: it is part of the layout.
  const std::uint32_t tag = fence_tag(slot_of("invoice:42"));
  for (std::uint32_t smaller = 0; smaller < tag; ++smaller) {
    ASSERT_NE(slot_of(std::to_string(smaller)), slot_of("invoice:42"));
  }
}

TEST(Names, AllKeysOfALockAreInOneSlot) {
  for (const std::string key :
       {"invoice:42", "app:invoice:42", "{user:7}:cart", "a{b}c{d}", "\x01\xff bytes\n", "with space", "x"}) {
    const auto slot = slot_of(key);
    EXPECT_EQ(slot_of(waiters_key(key)), slot) << key;
    EXPECT_EQ(slot_of(seen_key(key)), slot) << key;
    EXPECT_EQ(slot_of(note_key(key)), slot) << key;
    EXPECT_EQ(slot_of(fence_key(key)), slot) << key;
    EXPECT_NE(waiters_key(key), seen_key(key));
    EXPECT_NE(waiters_key(key), key);
  }
}

TEST(Names, HelperKeysLookAsDocumented) {
  EXPECT_EQ(waiters_key("app:invoice:42"), "{app:invoice:42}:waiters");
  EXPECT_EQ(seen_key("app:invoice:42"), "{app:invoice:42}:seen");
  EXPECT_EQ(waiters_key("{user:7}:cart"), "{user:7}:cart:waiters");
  EXPECT_EQ(note_key("app:invoice:42"), "{app:invoice:42}:note");
  EXPECT_EQ(inbox_channel("00ff"), "holdfast:inbox:00ff");
}

TEST(Names, HelperKeysAreToldFromLocks) {
  for (const char* helper :
       {"{a}:waiters", "{a}:seen", "{user:7}:cart:waiters", "holdfast:fence:{1183}", "{a}:value", "{a}:leader"}) {
    EXPECT_TRUE(is_helper_key(helper)) << helper;
  }
  for (const char* lock : {"a", "a:waiters", "holdfast:fence", "{a}:b", "{a}:waiters:b"}) {
    EXPECT_FALSE(is_helper_key(lock)) << lock;
  }
}

TEST(Names, ATextStandsForItselfInAPattern) {
  EXPECT_EQ(glob_escaped("app:"), "app:");
  EXPECT_EQ(glob_escaped("a*b?c[d]e\\"), "a\\*b\\?c\\[d\\]e\\\\");
}

TEST(Names, PrefixAndNameMakeTheKey) {
  EXPECT_EQ(*make_key("app:", "invoice:42"), "app:invoice:42");
  EXPECT_EQ(*make_key("", "x"), "x");
  EXPECT_EQ(*make_key("{app}:", "x"), "{app}:x");
  EXPECT_EQ(make_key("", std::string(512, 'n'))->size(), 512U);
  const std::string odd{"\0\r\n \xff", 5};
  EXPECT_EQ(*make_key("", odd), odd) << "any bytes but broken braces";
}

TEST(Names, BadNamesAreRefusedAndSaidWhy) {
  const auto empty = make_key("app:", "");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.code(), errc::bad_name);
  EXPECT_NE(empty.failure().detail.find("empty"), std::string::npos);
  const auto longer = make_key("", std::string(513, 'n'));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.code(), errc::bad_name);
  EXPECT_NE(longer.failure().detail.find("513"), std::string::npos);
  for (const std::string broken : {"{", "}", "{}", "a{b", "a}b", "{a{b}}", "{a}}", "}{", "{a}{", "a{}b"}) {
    const auto key = make_key("", broken);
    ASSERT_FALSE(key) << broken;
    EXPECT_EQ(key.code(), errc::bad_name) << broken;
    EXPECT_NE(key.failure().detail.find("braces"), std::string::npos);
  }
  ASSERT_FALSE(make_key("{app", "x")) << "the key as a whole counts";
  EXPECT_EQ(make_key(std::string(513, 'p'), "x").code(), errc::bad_option);
}

TEST(Names, OwnersAreOneTo256Bytes) {
  EXPECT_TRUE(check_owner("x"));
  EXPECT_TRUE(check_owner(std::string(256, 'o')));
  EXPECT_EQ(check_owner("").code(), errc::bad_option);
  EXPECT_EQ(check_owner(std::string(257, 'o')).code(), errc::bad_option);
}

}  // namespace
}  // namespace holdfast::lock
