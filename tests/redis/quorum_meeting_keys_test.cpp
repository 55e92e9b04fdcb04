// What latch and barrier have on the nodes of a quorum: ids and waiters, who sees them and who may; and how a young quorum
// begins. What they do: latch_scenes_test.cpp and barrier_scenes_test.cpp.
#include <gtest/gtest.h>
#include <holdfast/inspect.hpp>

#include <algorithm>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "redis/meeting_scenes.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

struct QuorumMeeting : meeting_scenes {};

INSTANTIATE_TEST_SUITE_P(Of, QuorumMeeting, testing::Values(3U, 5U),
                         [](const auto& of) { return std::to_string(of.param) + "Nodes"; });

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
  ASSERT_TRUE(servers.waiting("done", 1));
  const std::string writer{redis.acquire("other", {.ttl = 1000ms}).owner()};
  servers.command({"SET", "{done}:guard", writer, "PX", "1000"});
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
    servers.command(user);
  };
  settings how = servers.where();
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
  ASSERT_TRUE(servers.waiting("app:done", 1));
  latch{with, "done", 1}.count_down();
  EXPECT_TRUE(waiter.get());
  barrier step{with, "step", 1};
  step.arrive_and_wait();
  step.arrive_and_drop();
}

TEST_P(QuorumMeeting, ManyWaitersAreToldInSteps) {
  latch last{redis, "done", 1};
  EXPECT_FALSE(last.try_wait());
  for (std::size_t i = 0; i < servers.size(); ++i) {
    std::vector<std::string> join{"ZADD", "{done}:waiters"};
    for (int k = 0; k < 1203; ++k) {
      join.push_back(std::to_string(k));
      join.push_back("0;3000:abc:" + std::to_string(k) + ":owner");
    }
    join.insert(join.end(), {"9999", "1;3000:abc:9999:owner"});  // of a later phase: not to be told
    ASSERT_EQ(servers[i].number(join), 1204);
  }
  last.count_down();
  // By a majority: whoever counts does not wait for the slowest.
  std::size_t told = 0;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto still = servers[i].list({"ZRANGE", "{done}:waiters", "0", "-1"});
    told += still == std::vector<std::string>{"1;3000:abc:9999:owner"} ? 1 : 0;
  }
  EXPECT_GT(told, servers.size() / 2);
}

}  // namespace
}  // namespace holdfast::test
