// redisson_shared_mutex and Redisson's RReadWriteLock on the same name: readers of both go together, writers of either keep all
// others out, each release lets the other in, and each obeys the other's timeouts. Java's side is tests/support/redisson_read_write.hpp.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "redis/common.hpp"
#include "support/redisson_read_write.hpp"

namespace holdfast::test {
namespace {

using steady = std::chrono::steady_clock;

struct redisson_shared_and_java : testing::Test {
  redis_server server;
  client redis{at(server)};
  redisson_shared_mutex ours{redis, "door"};
  redisson_read_write_lock java{server, "door"};

  long long listeners() { return std::stoll(server.list({"PUBSUB", "NUMSUB", java.read.channel()}).at(1)); }
  std::future<bool> java_waits(redisson_locking& half) {
    auto waiting = std::async(std::launch::async, [&half] { return half.lock(30s, 20s); });
    EXPECT_TRUE(eventually(patience, [&] { return listeners() == 1; }));
    return waiting;
  }
};

TEST_F(redisson_shared_and_java, readers_of_both_are_inside_together) {
  ASSERT_TRUE(java.read.try_lock(30s));
  EXPECT_TRUE(ours.try_lock_shared());
  ASSERT_TRUE(java.read.try_lock(30s)) << "Java again, which counts 2";
  EXPECT_FALSE(java.write.try_lock(30s));
  EXPECT_EQ(java.read.unlock(), false);
  EXPECT_EQ(java.read.unlock(), false) << "we are still inside";
  EXPECT_FALSE(java.write.try_lock(30s));
  EXPECT_EQ(ours.release(), release_outcome::released);
  EXPECT_TRUE(java.write.try_lock(30s));
}

TEST_F(redisson_shared_and_java, writers_keep_all_others_out) {
  ASSERT_TRUE(java.write.try_lock(30s));
  EXPECT_FALSE(ours.try_lock());
  EXPECT_FALSE(ours.try_lock_shared_for(100ms));
  EXPECT_EQ(java.write.unlock(), true);

  ours.lock();
  EXPECT_FALSE(java.read.try_lock(30s));
  const auto held = java.write.acquire(30s);
  ASSERT_TRUE(held) << "Java is told how long";
  EXPECT_GT(*held, 20s);
  EXPECT_EQ(java.write.unlock(), std::nullopt) << "Java throws: not its lock";
  EXPECT_EQ(java.read.unlock(), std::nullopt);
  EXPECT_FALSE(java.write.renew(30s));
  EXPECT_EQ(ours.release(), release_outcome::released);
  EXPECT_TRUE(java.read.try_lock(30s));
}

// Without its timeout key Java's release would delete the lock under our reader; with it the hash ends when ours does.
TEST_F(redisson_shared_and_java, javas_release_leaves_our_readers_share) {
  redisson_shared_mutex brief{redis, "door", {.ttl = 10s}};
  brief.lock_shared();
  ASSERT_TRUE(java.read.try_lock(60s));
  EXPECT_EQ(java.read.unlock(), false);
  const long long left = server.number({"PTTL", "door"});
  EXPECT_GT(left, 2'000);
  EXPECT_LE(left, 10'000);
  EXPECT_EQ(brief.release(), release_outcome::released);
}

TEST_F(redisson_shared_and_java, our_release_leaves_javas_share) {
  ASSERT_TRUE(java.read.try_lock(20s));
  ours.lock_shared();
  EXPECT_EQ(ours.release(), release_outcome::released);
  const long long left = server.number({"PTTL", "door"});
  EXPECT_GT(left, 10'000) << "Java's, not ours";
  EXPECT_LE(left, 20'000);
  EXPECT_FALSE(ours.try_lock());
  EXPECT_EQ(java.read.unlock(), true);
}

// Java's renewal is for all readers. Its 30 s are not less than the most that we may ask for.
TEST_F(redisson_shared_and_java, javas_renewal_does_not_cut_ours_short) {
  ASSERT_TRUE(java.read.try_lock(30s));
  ours.lock_shared();
  auto fields = server.list({"HKEYS", "door"});
  std::erase(fields, "mode");
  std::erase(fields, java.read.owner());
  const std::string mine = fields.at(0);
  EXPECT_TRUE(java.read.renew(30s));
  const long long left = server.number({"PTTL", "{door}:" + mine + ":rwlock_timeout:1"});
  EXPECT_GE(left, std::chrono::duration_cast<std::chrono::milliseconds>(ours.remaining()).count());
  EXPECT_EQ(java.read.unlock(), false);
  EXPECT_EQ(ours.release(), release_outcome::released);
}

TEST_F(redisson_shared_and_java, javas_crashed_reader_ends_by_its_own_timeout) {
  ASSERT_TRUE(java.read.try_lock(500ms));  // and never comes back
  ours.lock_shared();                      // which keeps the hash for longer
  client second{at(server)};
  redisson_shared_mutex writer{second, "door"};
  auto waiting =
      std::async(std::launch::async, [&] { return writer.try_lock_for(patience) && (writer.unlock(), true); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  std::this_thread::sleep_for(600ms);
  const auto start = steady::now();
  ours.unlock_shared();
  ASSERT_TRUE(waiting.get());
  EXPECT_LT(since(start), 5s) << "the dead reader's field kept nobody";
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
}

TEST_F(redisson_shared_and_java, our_crashed_readers_end_lets_javas_writer_in) {
  redisson_shared_mutex brief{redis, "door", {.ttl = 700ms, .renew = false}};
  brief.lock_shared();
  const auto start = steady::now();
  EXPECT_TRUE(java.write.lock(30s, 10s));
  EXPECT_LT(since(start), 3s);
  EXPECT_EQ(brief.release(), release_outcome::was_lost);
  EXPECT_TRUE(java.write.renew(30s)) << "the late release took nothing from Java";
}

TEST_F(redisson_shared_and_java, our_release_wakes_javas_waiters) {
  ours.lock();
  auto reads = java_waits(java.read);
  ours.unlock();
  ASSERT_TRUE(reads.get());
  EXPECT_GE(java.read.woken(), 1) << "by the message, not by the 30 s of our lease";
  EXPECT_EQ(java.read.unlock(), true);

  ours.lock_shared();
  auto writes = java_waits(java.write);
  ours.unlock_shared();
  ASSERT_TRUE(writes.get());
  EXPECT_GE(java.write.woken(), 1);
  EXPECT_EQ(java.write.unlock(), true);
}

// Java's readers come along when ours are handed the lock, and when our writer becomes a reader.
TEST_F(redisson_shared_and_java, javas_readers_come_in_with_ours) {
  ours.lock();
  auto reads = java_waits(java.read);
  client second{at(server)};
  redisson_shared_mutex theirs{second, "door"};
  std::promise<void> leave;
  auto mine = std::async(std::launch::async, [&] {
    const std::shared_lock hold{theirs};
    leave.get_future().wait();
  });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  ours.unlock();
  EXPECT_TRUE(reads.get()) << "while ours reads";
  EXPECT_EQ(java.read.unlock(), false);
  leave.set_value();
  mine.get();

  ours.lock();
  auto again = java_waits(java.read);
  ours.downgrade();
  EXPECT_TRUE(again.get());
  EXPECT_EQ(ours.release(), release_outcome::released);
  EXPECT_EQ(java.read.unlock(), true);
}

TEST_F(redisson_shared_and_java, our_waiters_follow_javas_release_soon) {
  for (const bool writes : {true, false}) {
    redisson_locking& half = writes ? java.write : java.read;
    ASSERT_TRUE(half.try_lock(30s));
    auto came = std::async(std::launch::async, [&] {
      const std::scoped_lock mine{ours};
      return steady::now();
    });
    ASSERT_TRUE(queue_reaches(server, "door", 1));
    const auto released = steady::now();
    EXPECT_EQ(half.unlock(), true);
    ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
    EXPECT_LE(came.get() - released, 2s) << "it looks every 25 to 75 ms";
  }
}

// Java holds for writing and reading, and gives the writing back: ours may read with it then.
TEST_F(redisson_shared_and_java, javas_downgrade_lets_our_readers_in) {
  ASSERT_TRUE(java.write.try_lock(30s));
  ASSERT_TRUE(java.read.try_lock(30s));
  EXPECT_FALSE(ours.try_lock_shared());
  const lock_info seen = inspect(redis, "door").value();
  EXPECT_EQ(seen.layout, lock_layout::redisson_write);
  EXPECT_EQ(seen.holders, 1U) << "one thread";
  EXPECT_EQ(java.write.unlock(), true);
  EXPECT_TRUE(ours.try_lock_shared());
  EXPECT_EQ(java.read.unlock(), false);
  EXPECT_EQ(ours.release(), release_outcome::released);
}

// Four clients of ours queue again and again to write; Java wants to write, and gets its turn.
TEST_F(redisson_shared_and_java, java_does_not_starve_behind_our_queue) {
  std::deque<client> clients;
  std::vector<std::jthread> busy;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(at(server));
    busy.emplace_back([&mine = clients.back()](const std::stop_token& stop) {
      redisson_shared_mutex door{mine, "door"};
      while (!stop.stop_requested()) {
        const std::scoped_lock hold{door};
        std::this_thread::sleep_for(1ms);
      }
    });
  }
  ASSERT_TRUE(eventually(patience, [&] { return server.number({"ZCARD", waiters_of("door")}) >= 3; }));
  for (int turn = 0; turn < 6; ++turn) {
    redisson_locking& half = turn % 2 == 0 ? java.write : java.read;
    const auto start = steady::now();
    ASSERT_TRUE(half.lock(30s, 20s)) << "turn " << turn;
    EXPECT_LT(since(start), 5s) << "eight holds of 1 ms, and what a busy machine adds";
    EXPECT_EQ(half.unlock(), true);
    ASSERT_TRUE(eventually(patience, [&] { return server.number({"EXISTS", "door"}) == 1; })) << "ours go on";
  }
  for (auto& each : busy) each.request_stop();
  for (auto& each : busy) each.join();
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
}

}  // namespace
}  // namespace holdfast::test
