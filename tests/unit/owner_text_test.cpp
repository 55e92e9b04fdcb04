// What an owner's text tells, and what it does not.
#include "lock/owner_text.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

const std::string ours = "host:12:0123456789abcdef00112233445566ff";

TEST(OwnerText, OwnersOfThisLibraryAreRecognised) {
  EXPECT_TRUE(looks_like_ours(ours));
  for (const char* other : {"", "0123456789abcdef0123456789abcdef", "host:12:0123456789ABCDEF0123456789ABCDEF",
                            "host:12-0123456789abcdef0123456789abcdef", "285475da-9152-4c83-822a-67ee2f116a79:57"}) {
    EXPECT_FALSE(looks_like_ours(other)) << other;
    EXPECT_EQ(inbox_of_owner(other), "") << other;
    EXPECT_EQ(place_of(other).host, "") << other;
    EXPECT_FALSE(place_of(other).pid) << other;
  }
}

TEST(OwnerText, TellsClientHostAndProcess) {
  EXPECT_EQ(inbox_of_owner(ours), "0123456789abcdef");
  EXPECT_EQ(place_of(ours).host, "host");
  EXPECT_EQ(place_of(ours).pid, 12);
  EXPECT_EQ(place_of("fe80::1:7:0123456789abcdef0123456789abcdef").host, "fe80::1");
}

TEST(OwnerText, WithoutScriptsNobodyHandsOver) {
  const std::string marked = ours + std::string{no_hand_over};
  EXPECT_FALSE(looks_like_ours(marked)) << "looked at often";
  EXPECT_EQ(inbox_of_owner(marked), "0123456789abcdef");
  EXPECT_EQ(place_of(marked).host, "host");
  EXPECT_EQ(place_of(marked).pid, 12);
}

TEST(OwnerText, ProcessesThatCannotBeAreNotTold) {
  for (const char* front : {"host:x:", "host:-1:", "host:0:", ":12:", "12:", "host:99999999999999999999:"}) {
    const place told = place_of(front + std::string(32, 'a'));
    EXPECT_EQ(told.host, "") << front;
    EXPECT_FALSE(told.pid) << front;
  }
}

TEST(OwnerText, AnEntryEndsWithItsOwner) {
  EXPECT_EQ(owner_of_entry("3000:0123456789abcdef:17:" + ours), ours);
  EXPECT_EQ(owner_of_entry("3000:ff:1:any: thing"), "any: thing");
  EXPECT_EQ(owner_of_entry("3000:ff"), "3000:ff");
  EXPECT_EQ(owner_of_entry(""), "");
}

TEST(OwnerText, InRedissonsLayoutTellsItsClient) {
  const std::string made = redisson_owner("0123456789abcdef", "fedcba9876543210", 4711);
  EXPECT_EQ(made, "01234567-89ab-8cde-bffe-dcba98765432:4711");
  EXPECT_TRUE(looks_like_ours(made));
  EXPECT_EQ(inbox_of_owner(made), "0123456789abcdef");
  EXPECT_EQ(place_of(made).host, "");
  EXPECT_EQ(owner_of_entry("3000:0123456789abcdef:7:" + made), made);
  // Java's are of version 4, and nearly ours are not ours.
  for (const char* other : {"01234567-89ab-4cde-bffe-dcba98765432:4711", "01234567-89ab-8cde-affe-dcba98765432:4711",
                            "01234567-89ab-8cde-bffe-dcba98765432", "01234567-89ab-8cde-bffe-dcba98765432:",
                            "01234567-89ab-8cde-bffe-dcba98765432:x", "01234567-89ab-8cde-bffe-dcba9876543:4711",
                            "0123456789ab-8cde-bffe-dcba-98765432:4711", "01234567-89AB-8cde-bffe-dcba98765432:4711"}) {
    EXPECT_FALSE(looks_like_ours(other)) << other;
    EXPECT_EQ(inbox_of_owner(other), "") << other;
  }
}

}  // namespace
}  // namespace holdfast::lock
