// What multi_acquire and elector_look answer, and the order of a multi_lock's members. No server.
#include "lock/leader_record.hpp"
#include "lock/members.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

resp::value text(std::string what) { return {resp::kind::bulk, 0, 0, std::move(what), {}}; }

TEST(Members, AreInOneOrderAndEachOnce) {
  EXPECT_EQ(order_members({"b", "a", "b", "B"}).value(), (std::vector<std::string>{"B", "a", "b"}));
  EXPECT_EQ(order_members({}).code(), errc::bad_option);
}

TEST(Members, RepliesAreRead) {
  EXPECT_EQ(read_multi(text("granted 5 6"), 2)->fences, (std::vector<std::uint64_t>{5, 6}));
  const auto held = read_multi(text("held 1 2000 some body"), 2);
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->held && held->fences.empty());
  EXPECT_EQ(held->which, 1U);
  EXPECT_EQ(held->holder, "some body");
  EXPECT_FALSE(read_multi(text("awaited 0"), 2)->held);
  for (const char* odd : {"", "granted", "granted 5", "granted 5 6 7", "granted 5 x", "held 2 1 a", "held 1",
                          "awaited 2", "awaited", "else"}) {
    EXPECT_EQ(read_multi(text(odd), 2).code(), errc::protocol) << odd;
  }
}

TEST(LeaderRecord, IsWrittenAndRead) {
  const leader who{"an id, with: anything", "host:1:ab cd", 17, {}};
  const auto read = read_leader_look(text("leader 1500 " + write_leader(who)));
  ASSERT_TRUE(read);
  ASSERT_TRUE(read->who);
  EXPECT_EQ(read->who->id, who.id);
  EXPECT_EQ(read->who->owner, who.owner);
  EXPECT_EQ(read->who->term, 17U);
  EXPECT_EQ(read->who->remaining, std::chrono::milliseconds{1500});
  EXPECT_TRUE(read_leader_look(text("none"))->settled);
  EXPECT_FALSE(read_leader_look(text("unknown"))->settled);
  for (const char* odd : {"", "leader", "leader 1 2 9 short", "leader x 2 1 a", "nobody"}) {
    EXPECT_EQ(read_leader_look(text(odd)).code(), errc::protocol) << odd;
  }
}

}  // namespace
}  // namespace holdfast::lock
