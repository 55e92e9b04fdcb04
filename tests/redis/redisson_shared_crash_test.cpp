// Redisson's read-write lock when our processes are killed: as readers, as writers, in the queue.
#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "redis/sharer.hpp"
#include "support/left_behind.hpp"

namespace holdfast::test {
namespace {

struct redisson_sharing_crash : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  redisson_shared_mutex mine{redis, "door"};
  redisson_shared_mutex theirs{other, "door"};

  std::size_t fields() { return server.list({"HKEYS", "door"}).size(); }
};

TEST_F(redisson_sharing_crash, a_crashed_reader_frees_its_own_share_only) {
  process reader = start_sharer(server, "redisson-read", "900");
  ASSERT_TRUE(has_its_share(reader));
  mine.lock_shared();
  reader.kill();
  auto writer = std::async(std::launch::async, [&] {
    theirs.lock();
    const std::uint64_t fence = theirs.fence();
    theirs.unlock();
    return fence;
  });
  EXPECT_TRUE(eventually(patience, [&] { return fields() == 2; })) << "the dead one's field goes, too";
  ASSERT_EQ(writer.wait_for(100ms), std::future_status::timeout) << "the living one's is still there";
  EXPECT_EQ(mine.state(), lease_state::VALID);
  const std::uint64_t fence = mine.fence();
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_GT(writer.get(), fence);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(redisson_sharing_crash, a_crashed_writer_lets_the_readers_in_when_its_ttl_is_over) {
  process writer = start_sharer(server, "redisson-write", "900");
  ASSERT_TRUE(has_its_share(writer));
  writer.kill();
  auto one = std::async(std::launch::async,
                        [&] { return mine.try_lock_shared_for(patience) && (mine.unlock_shared(), true); });
  auto two = std::async(std::launch::async,
                        [&] { return theirs.try_lock_shared_for(patience) && (theirs.unlock_shared(), true); });
  EXPECT_TRUE(one.get());
  EXPECT_TRUE(two.get());
  expect_nothing_left(server, patience);
}

TEST_F(redisson_sharing_crash, a_crashed_waiter_stops_nobody) {
  mine.lock_shared();
  process writer = start_sharer(server, "redisson-write", "30000");
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  auto behind = std::async(std::launch::async,
                           [&] { return theirs.try_lock_shared_for(patience) && (theirs.unlock_shared(), true); });
  ASSERT_TRUE(queue_reaches(server, "door", 2));
  writer.kill();
  // It is silent now, and passed over three heartbeats later although it never came to its turn.
  EXPECT_TRUE(behind.get());
  EXPECT_EQ(mine.state(), lease_state::VALID);
  mine.unlock_shared();
  expect_nothing_left(server, patience);
}

TEST_F(redisson_sharing_crash, a_waiter_that_is_gone_when_its_turn_comes_is_passed_over) {
  mine.lock();
  process reader = start_sharer(server, "redisson-read", "30000");
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  auto behind =
      std::async(std::launch::async, [&] { return theirs.try_lock_for(patience) && (theirs.unlock(), true); });
  ASSERT_TRUE(queue_reaches(server, "door", 2));
  reader.kill();
  std::this_thread::sleep_for(50ms);  // its connection closes
  mine.unlock();
  EXPECT_TRUE(behind.get());
  expect_nothing_left(server, patience);
}

}  // namespace
}  // namespace holdfast::test
