// What nodes of a Redis Cluster tell about slots, read without a server (topology/slot_map.hpp).
#include "topology/slot_map.hpp"

#include <gtest/gtest.h>

namespace holdfast::topology {
namespace {

using kind = redirection::kind;

const endpoint asked{"10.0.0.9", 7009};

resp::value text(std::string what) {
  resp::value out;
  out.type = resp::kind::bulk;
  out.text = std::move(what);
  return out;
}
resp::value number(std::int64_t what) {
  resp::value out;
  out.type = resp::kind::integer;
  out.integer = what;
  return out;
}
resp::value list(std::vector<resp::value> items) {
  resp::value out;
  out.type = resp::kind::array;
  for (auto& each : items) out.items.push_back(std::move(each));
  return out;
}

TEST(SlotMap, RangesWithTheirPrimariesAreReadAndReplicasPassedOver) {
  const auto reply = list({list({number(0), number(5460), list({text("10.0.0.1"), number(7001), text("id")}),
                                 list({text("10.0.0.4"), number(7004), text("id")})}),
                           list({number(5461), number(16383), list({text("10.0.0.2"), number(7002)})})});
  const auto map = read_slots(reply, asked);
  ASSERT_TRUE(map);
  ASSERT_EQ(map->size(), 2U);
  EXPECT_EQ((*map)[0].first, 0);
  EXPECT_EQ((*map)[0].last, 5460);
  EXPECT_EQ((*map)[0].primary, (endpoint{"10.0.0.1", 7001}));
  EXPECT_EQ((*map)[1].last, 16383);
  EXPECT_EQ((*map)[1].primary, (endpoint{"10.0.0.2", 7002}));
}

TEST(SlotMap, ANodeThatDoesNotKnowItsOwnAddressIsTheOneThatWasAsked) {
  resp::value nil;
  nil.type = resp::kind::null;
  for (const resp::value& host : {text(""), text("?"), nil}) {
    const auto map = read_slots(list({list({number(1), number(1), list({host, number(7001)})})}), asked);
    ASSERT_TRUE(map);
    EXPECT_EQ(map->front().primary, (endpoint{"10.0.0.9", 7001}));
  }
}

TEST(SlotMap, WhatIsNotOfTheFormIsNoMap) {
  EXPECT_FALSE(read_slots(text("OK"), asked));
  EXPECT_FALSE(read_slots(list({number(1)}), asked));
  EXPECT_FALSE(read_slots(list({list({number(5), number(4), list({text("h"), number(1)})})}), asked));
  EXPECT_FALSE(read_slots(list({list({number(0), number(16384), list({text("h"), number(1)})})}), asked));
  EXPECT_FALSE(read_slots(list({list({number(0), number(1), list({text("h"), number(65536)})})}), asked));
  EXPECT_FALSE(read_slots(list({list({number(0), number(1), list({text("h")})})}), asked));
  const auto none = read_slots(list({}), asked);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(SlotMap, RedirectionsAreToldApart) {
  const auto moved = read_redirection("MOVED 3999 127.0.0.1:6381", asked);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->what, kind::moved);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->where, (endpoint{"127.0.0.1", 6381}));
  EXPECT_EQ(read_redirection("ASK 1 node-1.example:7000", asked)->where, (endpoint{"node-1.example", 7000}));
  EXPECT_EQ(read_redirection("ASK 1 node-1.example:7000", asked)->what, kind::ask);
  EXPECT_EQ(read_redirection("MOVED 1 :7000", asked)->where, (endpoint{"10.0.0.9", 7000}));
  EXPECT_EQ(read_redirection("MOVED 1 ::1:7000", asked)->where, (endpoint{"::1", 7000}));
  EXPECT_EQ(read_redirection("TRYAGAIN Multiple keys request during rehashing of slot", asked)->what, kind::try_again);
  EXPECT_EQ(read_redirection("CLUSTERDOWN Hash slot not served", asked)->what, kind::down);
  for (const char* other : {"ERR x", "MOVED", "MOVED 1", "MOVED x 127.0.0.1:1", "MOVED 16384 127.0.0.1:1",
                            "MOVED 1 127.0.0.1", "MOVED 1 127.0.0.1:0", "MOVEDX 1 127.0.0.1:1"}) {
    EXPECT_FALSE(read_redirection(other, asked)) << other;
  }
}

}  // namespace
}  // namespace holdfast::topology
