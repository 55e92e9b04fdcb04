// How one server keeps a latch: its waiters, told in batches, and the ids of those who have counted. What a latch does:
// latch_scenes_test.cpp; how a quorum keeps it: quorum_meeting_keys_test.cpp.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

struct Latch : testing::Test {
  redis_server server;
};

TEST_F(Latch, MoreWaitersThanOneStepTellsAreToldInBatches) {
  client redis{at(server)};
  latch last{redis, "done", 1};
  EXPECT_FALSE(last.try_wait());
  const std::string inbox(16, 'a');
  auto hearer = server.connect();
  hearer.send({"SUBSCRIBE", "holdfast:inbox:" + inbox});
  (void)hearer.receive();
  for (int i = 0; i < 1203; ++i) {
    const std::string number = std::to_string(i);
    server.number({"ZADD", waiters_of("done"), std::to_string(1'700'000'000'000'000 + i),
                   "0;3000:" + inbox + ":" + number + ":owner" + number});
  }
  const auto before = scripts_run(server);
  last.count_down();
  EXPECT_GE(scripts_run(server) - before, 3) << "1203 in steps of 500";
  EXPECT_EQ(server.number({"EXISTS", waiters_of("done")}), 0);
  for (int i = 0; i < 1203; ++i) {
    const auto told = hearer.receive();
    ASSERT_EQ(told.items.at(2).text, std::to_string(i) + " " + std::to_string(1'700'000'000'000'000 + i));
  }
}

TEST_F(Latch, OldIdsAreForgotten) {
  // Ids are remembered for 5 × (connect_timeout + command_timeout): 1.5 s here.
  settings hasty = at(server);
  hasty.connect_timeout = 100ms;
  hasty.command_timeout = 200ms;
  client brief{hasty};
  latch done{brief, "done", 1000};
  for (int i = 0; i < 20; ++i) done.count_down();
  EXPECT_EQ(server.number({"ZCARD", "{done}:seen"}), 20);
  std::this_thread::sleep_for(1600ms);
  for (int i = 0; i < 20; ++i) done.count_down();
  EXPECT_EQ(server.number({"ZCARD", "{done}:seen"}), 20) << "each arrival forgets up to two";
  EXPECT_EQ(server.number({"HLEN", "done"}), 7 + 20);
  EXPECT_EQ(server.text({"HGET", "done", "left"}), "960");
}

}  // namespace
}  // namespace holdfast::test
