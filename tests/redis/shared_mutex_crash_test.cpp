// The read-write lock when processes are killed: as readers, as writers, in the queue.
#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "redis/sharer.hpp"
#include "support/left_behind.hpp"

namespace holdfast::test {
namespace {

struct sharing_crash : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};

  template <class Wait>
  std::future<std::uint64_t> start(Wait wait) {
    return std::async(std::launch::async, wait);
  }
};

TEST_F(sharing_crash, a_crashed_reader_frees_its_own_share_only) {
  process reader = start_sharer(server, "read", "900");
  ASSERT_TRUE(has_its_share(reader));
  lease mine = acquire_shared(redis, "door", {.ttl = 30s});
  reader.kill();
  auto writer = start([&] { return acquire_exclusive(other, "door").fence(); });
  EXPECT_TRUE(eventually(patience, [&] {
    return server.number({"ZSCORE", "door", "#"}) == 1;
  })) << "the dead one's share";
  ASSERT_EQ(writer.wait_for(100ms), std::future_status::timeout) << "the living one's is still there";
  EXPECT_EQ(mine.state(), lease_state::VALID);
  mine.release();
  EXPECT_GT(writer.get(), mine.fence());
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(sharing_crash, a_crashed_writer_lets_the_readers_in_when_its_ttl_is_over) {
  process writer = start_sharer(server, "write", "900");
  ASSERT_TRUE(has_its_share(writer));
  writer.kill();
  auto one = start([&] { return acquire_shared(redis, "door").fence(); });
  auto two = start([&] { return acquire_shared(other, "door").fence(); });
  ASSERT_EQ(one.wait_for(patience), std::future_status::ready);
  ASSERT_EQ(two.wait_for(patience), std::future_status::ready);
  expect_nothing_left(server, patience);
}

TEST_F(sharing_crash, a_crashed_waiter_stops_nobody) {
  lease mine = acquire_shared(redis, "door");
  process writer = start_sharer(server, "write", "30000");
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  auto behind = start([&] { return acquire_shared(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 2));
  writer.kill();
  // It is silent now, and passed over three heartbeats later although it never came to its turn.
  ASSERT_EQ(behind.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(mine.state(), lease_state::VALID);
  mine.release();
  expect_nothing_left(server, patience);
}

}  // namespace
}  // namespace holdfast::test
