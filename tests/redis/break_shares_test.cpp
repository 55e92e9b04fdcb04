// Forcing a lock open that several hold: readers, permits, and Redisson's read-write lock. All of them hear of it at once, and those
// who wait go on.
#include <gtest/gtest.h>

#include <future>
#include <shared_mutex>

#include "redis/common.hpp"
#include "support/left_behind.hpp"
#include "support/redisson_read_write.hpp"

namespace holdfast::test {
namespace {

struct breaking_shares : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  client third{at(server)};
  client operator_{at(server)};

  static loss_cause cause_of(std::promise<loss>& heard) {
    auto told = heard.get_future();
    if (told.wait_for(patience) != std::future_status::ready) return loss_cause::expired;
    return told.get().cause;
  }
  static options telling(std::promise<loss>& to) {
    return {.ttl = 30s, .on_lost = [&to](const loss& what) { to.set_value(what); }};
  }
};

TEST_F(breaking_shares, all_readers_hear_at_once_and_the_writer_goes_in) {
  std::promise<loss> first;
  std::promise<loss> second;
  const lease one = acquire_shared(redis, "door", telling(first));
  const lease two = acquire_shared(other, "door", telling(second));
  auto writer = std::async(std::launch::async, [&] { return acquire_exclusive(third, "door", {.ttl = 30s}); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));

  const broken_lock done = break_lock(operator_, "door", two.owner()).value();
  EXPECT_TRUE(done.owner == one.owner() || done.owner == two.owner());
  EXPECT_EQ(done.holders, 2U);
  EXPECT_TRUE(done.told);
  EXPECT_EQ(cause_of(first), loss_cause::broken) << "the next renewal is 10 s away";
  EXPECT_EQ(cause_of(second), loss_cause::broken);
  ASSERT_EQ(writer.wait_for(patience), std::future_status::ready);
  lease now = writer.get();
  EXPECT_GT(now.fence(), std::max(one.fence(), two.fence()));
  EXPECT_EQ(now.release(), release_outcome::released);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(breaking_shares, permits_go_to_as_many_waiters_as_fit) {
  semaphore pool{redis, "pool", 3};
  std::promise<loss> heard;
  const lease all = pool.take(std::nothrow, 3, telling(heard)).value();
  std::vector<std::future<result<lease>>> waiting;
  for (client* by : {&other, &third}) {
    waiting.push_back(std::async(std::launch::async, [by] { return semaphore{*by, "pool", 3}.take(std::nothrow, 1); }));
    ASSERT_TRUE(queue_reaches(server, "pool", static_cast<long long>(waiting.size())));
  }
  EXPECT_TRUE(break_lock(operator_, "pool", {}).value().told);
  EXPECT_EQ(cause_of(heard), loss_cause::broken);
  for (auto& each : waiting) {
    ASSERT_EQ(each.wait_for(patience), std::future_status::ready);
    EXPECT_TRUE(each.get());
  }
}

TEST_F(breaking_shares, another_holder_nobody_and_no_lock_are_left_alone) {
  lease one = acquire_shared(redis, "door");
  EXPECT_EQ(break_lock(operator_, "door", "somebody else").code(), errc::not_owner);
  EXPECT_EQ(one.state(), lease_state::VALID);
  EXPECT_EQ(one.release(), release_outcome::released);
  EXPECT_EQ(break_lock(operator_, "door", {}).code(), errc::not_owner);

  server.command({"ZADD", "scores", "1", "Ada"});
  server.command({"ZADD", "odd", "1", "#", "2000000000000000000", "no weight"});
  for (const char* name : {"scores", "odd"}) {
    EXPECT_EQ(break_lock(operator_, name, {}).code(), errc::wrong_type) << name;
    EXPECT_EQ(server.number({"EXISTS", name}), 1) << name;
  }
}

TEST_F(breaking_shares, redissons_read_write_lock_is_taken_from_ours_and_from_javas) {
  std::promise<loss> first;
  redisson_shared_mutex mine{redis, "door", telling(first)};
  redisson_read_write_lock java{server, "door"};
  mine.lock_shared();
  ASSERT_TRUE(java.read.try_lock(30s));
  ASSERT_TRUE(java.read.try_lock(30s));
  redisson_shared_mutex next{other, "door"};
  auto writer = std::async(std::launch::async, [&] { return next.try_lock_for(patience) && (next.unlock(), true); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));

  const broken_lock done = break_lock(operator_, "door", java.read.owner()).value();
  EXPECT_EQ(done.holders, 2U);
  EXPECT_FALSE(done.told) << "Java cannot be told";
  EXPECT_FALSE(done.next_owner.empty());
  EXPECT_EQ(cause_of(first), loss_cause::broken);
  EXPECT_TRUE(writer.get());
  mine.unlock_shared();
  EXPECT_EQ(left_behind(server), std::vector<std::string>{}) << "the timeouts went, too";
}

TEST_F(breaking_shares, our_writer_of_redissons_lock_is_told_and_java_is_woken) {
  std::promise<loss> heard;
  redisson_shared_mutex mine{redis, "door", telling(heard)};
  redisson_read_write_lock java{server, "door"};
  mine.lock();
  auto waiting = std::async(std::launch::async, [&] { return java.read.lock(30s, 20s); });
  ASSERT_TRUE(eventually(patience, [&] {
    return std::stoll(server.list({"PUBSUB", "NUMSUB", java.read.channel()}).at(1)) == 1;
  }));
  const std::string owner = inspect(operator_, "door").value().owner;
  const broken_lock done = break_lock(operator_, "door", owner).value();
  EXPECT_EQ(done.owner, owner);
  EXPECT_TRUE(done.told);
  EXPECT_EQ(cause_of(heard), loss_cause::broken);
  EXPECT_TRUE(waiting.get());
  EXPECT_GE(java.read.woken(), 1);
  EXPECT_EQ(java.read.unlock(), true);
  mine.unlock();
}

}  // namespace
}  // namespace holdfast::test
