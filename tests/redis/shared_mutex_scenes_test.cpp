// The read-write lock on one server and on a quorum: who goes in together, who waits, and downgrade.
//
// Not here is the order of those who wait: first come, first served is a promise of one server (shared_mutex_test.cpp).
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "redis/sharing_scenes.hpp"

namespace holdfast::test {
namespace {

struct shared_mutex_scenes : sharing_scenes {};

INSTANTIATE_TEST_SUITE_P(, shared_mutex_scenes, testing::Values(1, 3, 4, 5), deployment_name);

TEST_P(shared_mutex_scenes, readers_together_writers_alone) {
  lease one = acquire_shared(redis, "door", how);
  lease two = acquire_shared(other, "door", how);
  EXPECT_EQ(try_acquire_exclusive(redis, "door", how).code(), errc::held);
  EXPECT_TRUE(all_have("2"));
  EXPECT_TRUE(servers.without_expiry().empty());
  EXPECT_EQ(one.release(), release_outcome::released);
  EXPECT_EQ(try_acquire_exclusive(redis, "door", how).code(), errc::held);
  EXPECT_EQ(two.release(), release_outcome::released);
  // On a quorum the last release may still be on its way to some.
  lease writer =
      servers.is_quorum() ? acquire_exclusive(redis, "door", how) : try_acquire_exclusive(redis, "door", how).value();
  EXPECT_GT(writer.fence(), two.fence());
  EXPECT_GT(writer.fence(), one.fence());
  const auto refused = try_acquire_shared(other, "door", how);
  EXPECT_EQ(refused.code(), errc::held);
  EXPECT_TRUE(has(refused.failure().detail, std::string{writer.owner()})) << refused.failure().detail;
  EXPECT_EQ(try_acquire_exclusive(other, "door", how).code(), errc::held);
  EXPECT_EQ(writer.release(), release_outcome::released);
  lease after = acquire_shared(other, "door", how);
  EXPECT_GT(after.fence(), writer.fence());
  EXPECT_EQ(after.release(), release_outcome::released);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, std_locks_work_and_threads_of_one_object_read_together) {
  shared_mutex door{redis, "door", how};
  std::atomic<int> inside{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      std::shared_lock hold{door};
      EXPECT_GT(door.fence(), 0U);
      EXPECT_EQ(door.state(), lease_state::VALID);
      ++inside;
      EXPECT_TRUE(eventually(patience, [&] { return inside == 4; })) << "all of them at once";
    });
  }
  for (auto& each : readers) each.join();
  {
    std::unique_lock hold{door, 5s};
    ASSERT_TRUE(hold.owns_lock());
    std::thread{[&] {
      std::shared_lock reader{door, std::defer_lock};
      EXPECT_FALSE(reader.try_lock());
      EXPECT_FALSE(reader.try_lock_for(200ms));
      EXPECT_FALSE(reader.try_lock_until(std::chrono::steady_clock::now() + 200ms));
    }}.join();
    EXPECT_EQ(door.lock_shared(std::nothrow).code(), errc::deadlock);
  }
  EXPECT_EQ(door.fence(), 0U) << "nothing is held by this thread";
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, a_release_invites_the_writer) {
  lease one = acquire_shared(redis, "door", how);
  lease two = acquire_shared(redis, "door", how);
  auto writer = start([&] { return acquire_exclusive(other, "door", how).fence(); });
  ASSERT_TRUE(waiting(1));
  EXPECT_EQ(one.release(), release_outcome::released);
  EXPECT_EQ(writer.wait_for(100ms), std::future_status::timeout) << "one still reads";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(two.release(), release_outcome::released);
  EXPECT_GT(writer.get(), std::max(one.fence(), two.fence()));
  EXPECT_TRUE(was_invited(other, begin));
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, a_release_invites_all_readers_up_to_the_next_writer) {
  lease held = acquire_exclusive(redis, "door", how);
  std::atomic<int> reading{0};
  std::atomic<int> most{0};
  std::atomic<bool> written{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      lease mine = acquire_shared(other, "door", how);
      EXPECT_FALSE(written) << "it came before the writer";
      for (int seen = ++reading, known = most; seen > known && !most.compare_exchange_weak(known, seen);) continue;
      EXPECT_TRUE(eventually(patience, [&] { return most == 3; })) << "those next to it go in with it";
      --reading;
    });
  }
  ASSERT_TRUE(waiting(3));
  threads.emplace_back([&] {
    lease mine = acquire_exclusive(other, "door", how);
    EXPECT_EQ(reading, 0);
    written = true;
  });
  ASSERT_TRUE(waiting(4));
  held.release();
  threads.clear();
  EXPECT_EQ(most, 3);
  EXPECT_TRUE(written);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, a_waiting_writer_is_not_overtaken_by_readers) {
  lease reader = acquire_shared(redis, "door", how);
  auto writer = start([&] { return acquire_exclusive(other, "door", how).fence(); });
  ASSERT_TRUE(waiting(1));
  EXPECT_EQ(try_acquire_shared(redis, "door", how).code(), errc::held);
  EXPECT_EQ(acquire_shared(std::nothrow, redis, "door", waits(100ms)).code(), errc::timed_out);
  reader.release();
  EXPECT_GT(writer.get(), reader.fence());
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

// Readers who come and go, so that there is always one inside.
TEST_P(shared_mutex_scenes, a_stream_of_readers_does_not_starve_a_writer) {
  std::atomic<bool> over{false};
  std::atomic<int> reads{0};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      client mine{servers.where()};
      while (!over) {
        auto got = acquire_shared(std::nothrow, mine, "door", waits(5000ms));
        if (!got) continue;
        ++reads;
        std::this_thread::sleep_for(20ms);
        got->release();
      }
    });
  }
  EXPECT_TRUE(eventually(patience, [&] { return reads > 10; }));
  for (int i = 0; i < 5; ++i) {
    auto got = acquire_exclusive(std::nothrow, other, "door", waits(5000ms));
    EXPECT_TRUE(got) << got.failure().detail;
  }
  const int before = reads;
  EXPECT_TRUE(eventually(patience, [&] { return reads > before + 5; })) << "nor does it starve them";
  over = true;
  readers.clear();
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, a_writer_that_gives_up_lets_those_behind_it_in) {
  lease reader = acquire_shared(redis, "door", how);
  std::stop_source stop;
  options until_stopped = how;
  until_stopped.stop = stop.get_token();
  auto writer = start([&] { return acquire_exclusive(std::nothrow, other, "door", until_stopped).code(); });
  ASSERT_TRUE(waiting(1));
  client third{servers.where()};
  auto behind = start([&] { return acquire_shared(third, "door", how).fence(); });
  ASSERT_TRUE(waiting(2));
  const auto begin = std::chrono::steady_clock::now();
  stop.request_stop();
  EXPECT_EQ(writer.get(), errc::cancelled);
  ASSERT_EQ(behind.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(was_invited(third, begin));
  EXPECT_EQ(reader.state(), lease_state::VALID) << "it never left";
  EXPECT_TRUE(reader.release() == release_outcome::released);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, downgrade_lets_the_readers_behind_in) {
  lease mine = acquire_exclusive(redis, "door", how);
  auto reader = start([&] {
    lease held = acquire_shared(other, "door", how);
    EXPECT_EQ(try_acquire_exclusive(redis, "door", how).code(), errc::held);
    return held.fence();
  });
  ASSERT_TRUE(waiting(1));
  const auto fence = mine.fence();
  const auto lost = mine.lost();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(downgrade(mine));
  ASSERT_EQ(reader.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(was_invited(other, begin));
  EXPECT_GT(reader.get(), fence);
  EXPECT_EQ(mine.fence(), fence);
  EXPECT_TRUE(downgrade(mine)) << "it changes nothing for a reader";
  EXPECT_TRUE(all_have("1"));
  ASSERT_TRUE(mine.extend(std::nothrow, 2500ms));
  EXPECT_TRUE(all_have("1"));
  EXPECT_EQ(try_acquire_exclusive(other, "door", how).code(), errc::held);
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, leases_are_renewed_and_their_loss_is_signalled) {
  std::atomic<int> lost{0};
  options short_ttl{.ttl = 600ms};
  short_ttl.on_lost = [&](const loss&) { ++lost; };
  lease reader = acquire_shared(redis, "door", short_ttl);
  std::this_thread::sleep_for(1500ms);  // longer than its ttl
  EXPECT_EQ(reader.state(), lease_state::VALID);
  EXPECT_GT(redis.stats().renewals, 0U);
  EXPECT_EQ(try_acquire_exclusive(other, "door", how).code(), errc::held);
  servers.command({"DEL", "door"});
  EXPECT_TRUE(eventually(patience, [&] { return lost == 1; }));
  EXPECT_TRUE(reader.lost().stop_requested());
}

TEST_P(shared_mutex_scenes, every_form_that_throws_has_one_that_does_not) {
  shared_mutex door{redis, "door", how};
  shared_mutex same{other, "door", how};
  EXPECT_EQ(door.extend(std::nothrow, 2s).code(), errc::lost) << "not held";
  ASSERT_TRUE(door.try_lock_shared(std::nothrow));
  EXPECT_EQ(same.try_lock(std::nothrow).code(), errc::held);
  ASSERT_TRUE(same.try_lock_shared(std::nothrow));
  EXPECT_TRUE(same.extend(std::nothrow, 2500ms));
  door.unlock_shared();
  same.unlock_shared();
  ASSERT_TRUE(all_have(""));
  ASSERT_TRUE(door.try_lock(std::nothrow));
  EXPECT_EQ(same.try_lock_shared(std::nothrow).code(), errc::held);
  door.unlock();
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(shared_mutex_scenes, a_name_belongs_to_one_kind_of_lock) {
  lease plain = redis.acquire("door", how);
  const auto shared = try_acquire_shared(other, "door", how);
  EXPECT_EQ(shared.code(), errc::wrong_type);
  const std::string told = servers.is_quorum() ? "not a lock of this kind" : "holds a string, not a read-write lock";
  EXPECT_TRUE(has(shared.failure().detail, told)) << shared.failure().detail;
  plain.release();
  EXPECT_TRUE(servers.nothing_left());
  servers.command({"ZADD", "scores", "7", "somebody"});
  EXPECT_EQ(try_acquire_shared(redis, "scores", how).code(), errc::wrong_type) << "a sorted set that is not ours";
  for (std::size_t i = 0; i < servers.size(); ++i) EXPECT_EQ(servers[i].number({"ZCARD", "scores"}), 1);
  lease reader = acquire_shared(redis, "door", how);
  EXPECT_EQ(redis.try_acquire("door", how).code(), errc::wrong_type);
  options mine = how;
  mine.owner = "me";
  EXPECT_THROW((shared_mutex{redis, "door", mine}), error);
  EXPECT_EQ(upgrade(plain, how).code(), errc::bad_option);
  if (servers.is_quorum()) {
    EXPECT_EQ(try_acquire_shared(redis, "other", {.ttl = 60s}).code(), errc::bad_option) << "longer than max_ttl";
  }
}

}  // namespace
}  // namespace holdfast::test
