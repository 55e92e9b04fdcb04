// Answers of inspect.lua and the break scripts: read into structs, and refused when they have another shape.
#include "lock/snapshot.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;
using namespace std::chrono_literals;

value text(std::string what) { return {kind::bulk, 0, 0, std::move(what), {}}; }
value number(std::int64_t what) { return {kind::integer, what, 0, {}, {}}; }
value list(std::vector<value> items) { return {kind::array, 0, 0, {}, std::move(items)}; }

const std::string owner = "host:12:0123456789abcdef00112233445566ff";

value held() {
  return list({text("string"), text("plain"), text("5000000"), number(1200), list({text(owner)}), number(2),
               list({text("3000:ff:1:" + owner), text("4000000"), text("3000:ff:2:me"), text("4900000")}), text(""),
               list({}), list({})});
}

TEST(Snapshot, AHeldLock) {
  const auto read = read_snapshot(held(), "app:door", 4);
  ASSERT_TRUE(read && *read);
  const lock_info& seen = **read;
  EXPECT_EQ(seen.name, "door");
  EXPECT_EQ(seen.key, "app:door");
  EXPECT_TRUE(seen.held);
  EXPECT_EQ(seen.owner, owner);
  EXPECT_EQ(seen.host, "host");
  EXPECT_EQ(seen.pid, 12);
  EXPECT_EQ(seen.remaining, 1200ms);
  EXPECT_EQ(seen.waiting, 2U);
  ASSERT_EQ(seen.waiters.size(), 2U);
  EXPECT_EQ(seen.waiters[0].waited, 1s);
  EXPECT_EQ(seen.waiters[1].owner, "me");
  EXPECT_EQ(seen.waiters[1].waited, 100ms);
  EXPECT_EQ(seen.contact, contact::unasked);
}

TEST(Snapshot, ANoteCountsOnlyForItsOwner) {
  value reply = held();
  reply.items[7] = text("77 2000000 " + owner);
  auto read = read_snapshot(reply, "door", 0);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->contact, contact::left);
  EXPECT_EQ((*read)->fence, 77U);
  EXPECT_EQ((*read)->held_for, 3s);
  for (const auto& odd :
       {std::string{"77 2000000 another"}, std::string{"77 2000000"}, "x 2000000 " + owner, std::string{}}) {
    reply.items[7] = text(odd);
    read = read_snapshot(reply, "door", 0);
    ASSERT_TRUE(read && *read);
    EXPECT_EQ((*read)->contact, contact::unasked) << odd;
    EXPECT_FALSE((*read)->fence) << odd;
  }
}

TEST(Snapshot, NoExpiryAndNotWorthAnAnswer) {
  value reply = held();
  reply.items[3] = number(-1);
  EXPECT_FALSE((*read_snapshot(reply, "door", 0))->remaining);
  EXPECT_FALSE(read_snapshot(value{}, "door", 0)->has_value());
}

TEST(Snapshot, OtherShapesAreProtocol) {
  std::vector<value> odd{number(1), text("x"), list({}), list({text("string")})};
  for (std::size_t i = 0; i < 10; ++i) {
    value reply = held();
    reply.items[i] = value{};
    odd.push_back(reply);
  }
  for (const auto& [place, what] :
       std::vector<std::pair<std::size_t, value>>{{1, text("unheard of")},
                                                  {2, text("not a time")},
                                                  {4, list({})},
                                                  {4, list({number(1)})},
                                                  {5, number(-1)},
                                                  {6, list({text("entry")})},
                                                  {6, list({text("entry"), text("no ticket")})}}) {
    value reply = held();
    reply.items[place] = what;
    odd.push_back(reply);
  }
  for (const value& each : odd) {
    const auto read = read_snapshot(each, "door", 0);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.code(), errc::protocol);
  }
  EXPECT_EQ(read_snapshot({kind::error, 0, 0, "NOPERM no", {}}, "door", 0).code(), errc::refused);
}

TEST(Snapshot, SharesHaveWeightsAndEndsOfTheirOwn) {
  value reply = held();
  reply.items[1] = text("shares");
  reply.items[4] = list({text("2:" + owner), text("1:me")});
  reply.items[6] = list({text("3*3000:ff:1:you"), text("4000000"), text("100000000^3000:ff:2:me"), text("4900000")});
  reply.items[8] = list({text("6500000"), text("4000000")});
  reply.items[9] = list({text("capacity"), text("4")});
  auto read = read_snapshot(reply, "pool", 0);
  ASSERT_TRUE(read && *read);
  const lock_info& seen = **read;
  EXPECT_EQ(seen.kind, lock_kind::semaphore);
  EXPECT_EQ(seen.capacity, 4U);
  EXPECT_EQ(seen.in_use, 3U);
  EXPECT_EQ(seen.holders, 2U);
  ASSERT_EQ(seen.held_by.size(), 2U);
  EXPECT_EQ(seen.held_by[0].weight, 2U);
  EXPECT_EQ(seen.held_by[0].remaining, 1500ms);
  EXPECT_EQ(seen.held_by[0].pid, 12);
  EXPECT_EQ(seen.held_by[1].owner, "me");
  EXPECT_EQ(seen.held_by[1].remaining, 0ms) << "not negative";
  EXPECT_EQ(seen.waiters[0].weight, 3U);
  EXPECT_EQ(seen.waiters[0].owner, "you");
  EXPECT_EQ(seen.waiters[1].weight, 100'000'000U);
  reply.items[9] = list({});
  EXPECT_EQ((*read_snapshot(reply, "pool", 0))->kind, lock_kind::shared_mutex);
  for (const value& odd : {list({text("1")}), list({text("x"), text("1")}), list({text("-1"), text("1")})}) {
    reply.items[8] = odd;
    EXPECT_EQ(read_snapshot(reply, "pool", 0).code(), errc::protocol);
  }
}

TEST(Snapshot, ALeadersRecordCountsOnlyForItsOwner) {
  value reply = held();
  const auto size = std::to_string(owner.size());
  reply.items[9] = list({text("leader"), text("77 " + size + " " + owner + "web-1")});
  auto read = read_snapshot(reply, "cache:seat", 0);
  EXPECT_EQ((*read)->kind, lock_kind::elector);
  EXPECT_EQ((*read)->leader, "web-1");
  EXPECT_EQ((*read)->fence, 77U);
  for (const std::string odd : {"77 2 meweb-1", "77 9999 x", "x", ""}) {
    reply.items[9] = list({text("leader"), text(odd)});
    read = read_snapshot(reply, "seat", 0);
    EXPECT_EQ((*read)->kind, lock_kind::mutex) << odd;
    EXPECT_FALSE((*read)->leader) << odd;
    EXPECT_FALSE((*read)->fence) << odd;
  }
  EXPECT_EQ((*read_snapshot(held(), "cache:page", 0))->kind, lock_kind::cache);
  reply.items[9] = list({text("value"), text("1")});
  EXPECT_EQ((*read_snapshot(reply, "page", 0))->kind, lock_kind::cache);
}

TEST(Snapshot, AMeetingIsNotHeldAndHasToBeWhole) {
  std::vector<value> words{text("kind"), text("barrier"), text("expected"), text("4"),     text("members"),
                           text("3"),    text("left"),    text("1"),        text("phase"), text("7")};
  value reply = held();
  reply.items[1] = text("meeting");
  reply.items[4] = list({});
  reply.items[9] = list(words);
  const auto read = read_snapshot(reply, "step", 0);
  ASSERT_TRUE(read && *read);
  EXPECT_FALSE((*read)->held);
  EXPECT_EQ((*read)->kind, lock_kind::barrier);
  EXPECT_EQ((*read)->meeting->expected, 4U);
  EXPECT_EQ((*read)->meeting->members, 3U);
  EXPECT_EQ((*read)->meeting->missing, 1U);
  EXPECT_EQ((*read)->meeting->phase, 7U);
  for (std::size_t i = 3; i < words.size(); i += 2) {
    auto odd = words;
    odd[i] = text("many");
    reply.items[9] = list(odd);
    EXPECT_EQ(read_snapshot(reply, "step", 0).code(), errc::protocol) << i;
  }
}

TEST(Snapshot, LocksOfOneAcquisitionBelongTogether) {
  std::vector<lock_info> found(4);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].name = std::string(1, static_cast<char>('a' + i));
    found[i].kind = lock_kind::mutex;
    found[i].owner = i == 2 ? "me" : owner;
  }
  found[3].kind = lock_kind::elector;
  find_together(found);
  EXPECT_EQ(found[0].kind, lock_kind::multi_lock);
  EXPECT_EQ(found[0].together, std::vector<std::string>{"b"});
  EXPECT_EQ(found[1].together, std::vector<std::string>{"a"});
  EXPECT_EQ(found[2].kind, lock_kind::mutex) << "an owner that a caller chose says nothing";
  EXPECT_EQ(found[3].kind, lock_kind::elector);
}

TEST(Snapshot, HowABreakWent) {
  const auto broken = read_break(list({text("broken"), text("old"), text("new"), number(1), number(1)}), "door");
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->owner, "old");
  EXPECT_EQ(broken->next_owner, "new");
  EXPECT_TRUE(broken->told);
  EXPECT_EQ(read_break(list({text("changed"), text("other")}), "door").code(), errc::not_owner);
  EXPECT_EQ(read_break(list({text("none")}), "door").code(), errc::not_owner);
  EXPECT_EQ(read_break(list({text("zset")}), "door").code(), errc::wrong_type);
  for (const value& odd : {number(1), list({}), list({number(1)}), list({text("broken")}),
                           list({text("broken"), text("a"), text("b"), text("1")})}) {
    EXPECT_EQ(read_break(odd, "door").code(), errc::protocol);
  }
}

TEST(Snapshot, RedissonsNames) {
  EXPECT_EQ(redisson_queue("a"), "redisson_lock_queue:{a}");
  EXPECT_EQ(redisson_queue("{a}:b"), "redisson_lock_queue:{a}:b");
  EXPECT_EQ(redisson_channel("a"), "redisson_lock__channel:{a}");
  EXPECT_EQ(redisson_read_write_channel("a"), "redisson_rwlock:{a}");
}

}  // namespace
}  // namespace holdfast::lock
