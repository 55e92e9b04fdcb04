// What latch and barrier have on the nodes of a quorum: keys that expire, ids, waiters, what others have there or have
// taken away, who sees it and who may. What they do: quorum_meeting_test.cpp, which also says on how many nodes.
#include <gtest/gtest.h>
#include <holdfast/inspect.hpp>

#include <algorithm>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "redis/quorum_meeting_fixture.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

TEST_P(QuorumMeeting, OtherThingsAtTheKeyAreNotTouched) {
  const lease held = redis.acquire("lock", {.ttl = 3000ms});
  latch{redis, "latch", 1}.count_down();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).command({"HSET", "java", "285475da-9152-4c83-822a-67ee2f116a79:57", "1"});
  }
  for (const char* name : {"lock", "java"}) {
    const auto refused = latch{redis, name, 2}.count_down(std::nothrow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.code(), errc::wrong_type) << refused.failure().detail;
    EXPECT_TRUE(has(refused.failure().detail, "not a latch")) << refused.failure().detail;
  }
  EXPECT_EQ(barrier(redis, "latch", 1).arrive(std::nothrow).code(), errc::wrong_type);
  EXPECT_EQ(redis.try_acquire("latch", {.ttl = 1000ms}).code(), errc::wrong_type);
}

TEST_P(QuorumMeeting, WhatTheNodesHaveForgottenIsLostAndNotBegunAnew) {
  latch counted{redis, "done", 2};
  counted.count_down();
  auto waiter = std::async(std::launch::async, [&] { return latch{redis, "done", 2}.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).command({"DEL", "done"});
  latch{other, "done", 2}.count_down();  // somebody who knows nothing of the first
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  const auto waited = waiter.get();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::lost) << waited.failure().detail;
  EXPECT_EQ(counted.count_down(std::nothrow).code(), errc::lost);
  EXPECT_EQ(field("done", "left"), "1");
}

TEST_P(QuorumMeeting, EveryKeyExpiresAndNothingIsLeft) {
  settings how = nodes.where();
  how.connect_timeout = 100ms;
  how.command_timeout = 100ms;
  client brief{how};
  latch done{brief, "done", 2, {.ttl = 1s}};
  done.count_down();
  auto waiter = std::async(std::launch::async, [&] { latch{brief, "done", 2, {.ttl = 1s}}.wait(); });
  ASSERT_TRUE(waiting("done", 1));
  std::this_thread::sleep_for(2500ms);  // longer than the ttl: the waiter's heartbeats are uses
  EXPECT_TRUE(nodes.without_expiry().empty());
  EXPECT_EQ(nodes.holding("done"), nodes.size());
  done.count_down();
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  waiter.get();
  EXPECT_TRUE(done.try_wait()) << "stays open for late comers";
  EXPECT_TRUE(only({})) << testing::PrintToString(nodes.left_behind());
}

TEST_P(QuorumMeeting, OldIdsAreForgotten) {
  latch done{redis, "done", 1000};
  for (int i = 0; i < 20; ++i) done.count_down();
  const std::string ids = field("done", "ids");
  EXPECT_EQ(std::ranges::count(ids, ','), 0) << "of an object that has ended all but its last arrival: " << ids;
  for (int i = 0; i < 20; ++i) latch{redis, "done", 1000}.count_down();
  EXPECT_EQ(std::ranges::count(field("done", "ids"), ','), 20);
  EXPECT_EQ(field("done", "left"), "960");
}

TEST_P(QuorumMeeting, AFreshQuorumIsOpenedByTheFirstToArrive) {
  quorum_group young{{.nodes = GetParam(), .max_ttl = 300ms, .fresh = true}};
  client first{young.where()};
  latch done{first, "done", 2};
  done.count_down();
  EXPECT_FALSE(done.try_wait());
  done.count_down();
  EXPECT_TRUE(done.try_wait());
}

TEST_P(QuorumMeeting, IsSeenByWhoeverLooksAndItsGuardIsNot) {
  latch done{redis, "done", 3};
  done.count_down();
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting("done", 1));
  const std::string writer{redis.acquire("other", {.ttl = 1000ms}).owner()};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    static_cast<void>(nodes.node(i).text({"SET", "{done}:guard", writer, "PX", "1000"}));
  }
  const auto seen = inspect(other, "done");
  ASSERT_TRUE(seen) << seen.failure().detail;
  ASSERT_TRUE(seen->meeting);
  EXPECT_EQ(seen->kind, lock_kind::latch);
  EXPECT_EQ(seen->meeting->missing, 2U);
  EXPECT_EQ(seen->waiting, 1U);
  const auto all = list(other);
  ASSERT_TRUE(all) << all.failure().detail;
  ASSERT_EQ(all->locks.size(), 1U) << all->locks.back().name;
  EXPECT_EQ(all->locks[0].name, "done");
  done.count_down(2);
  EXPECT_TRUE(waiter.get());
}

TEST_P(QuorumMeeting, NeedsTheRightsThatAreListedAndNoMore) {
  const auto give = [&](const std::vector<std::string>& more) {
    std::vector<std::string> user{"ACL", "SETUSER", "app", "reset", "on", ">secret"};
    for (const auto* each : {&needed_rights, &optional_rights, &more})
      user.insert(user.end(), each->begin(), each->end());
    for (std::size_t i = 0; i < nodes.size(); ++i) static_cast<void>(nodes.node(i).text(user));
  };
  settings how = nodes.where();
  how.user = "app";
  how.password = "secret";
  how.prefix = "app:";
  give({"~holdfast:quorum", "+info"});
  {
    client without{how};
    for (const auto& refused :
         {latch{without, "done", 1}.count_down(std::nothrow), latch{without, "done", 1}.wait(std::nothrow)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.code(), errc::refused) << refused.failure().detail;
    }
  }
  give(quorum_rights);
  client with{how};
  latch done{with, "done", 1};
  auto waiter = std::async(std::launch::async, [&] { return done.wait(std::nothrow); });
  ASSERT_TRUE(waiting("app:done", 1));
  latch{with, "done", 1}.count_down();
  EXPECT_TRUE(waiter.get());
  barrier step{with, "step", 1};
  step.arrive_and_wait();
  step.arrive_and_drop();
}

TEST_P(QuorumMeeting, ManyWaitersAreToldInSteps) {
  latch last{redis, "done", 1};
  EXPECT_FALSE(last.try_wait());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<std::string> join{"ZADD", "{done}:waiters"};
    for (int k = 0; k < 1203; ++k) {
      join.push_back(std::to_string(k));
      join.push_back("0;3000:abc:" + std::to_string(k) + ":owner");
    }
    join.insert(join.end(), {"9999", "1;3000:abc:9999:owner"});  // of a later phase: not to be told
    ASSERT_EQ(nodes.node(i).number(join), 1204);
  }
  last.count_down();
  // By a majority: whoever counts does not wait for the slowest.
  std::size_t told = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto still = nodes.node(i).list({"ZRANGE", "{done}:waiters", "0", "-1"});
    told += still == std::vector<std::string>{"1;3000:abc:9999:owner"} ? 1 : 0;
  }
  EXPECT_GT(told, nodes.size() / 2);
}

}  // namespace
}  // namespace holdfast::test
