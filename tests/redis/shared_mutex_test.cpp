// The read-write lock: who goes in together, who waits, upgrade and downgrade.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

template <class Lock>
constexpr bool stays_where_it_is = !std::is_copy_constructible_v<Lock> && !std::is_copy_assignable_v<Lock> &&  //
                                   !std::is_move_constructible_v<Lock> && !std::is_move_assignable_v<Lock>;
static_assert(stays_where_it_is<holdfast::shared_mutex> && stays_where_it_is<redisson_shared_mutex>);
static_assert(!std::is_destructible_v<detail::read_write_lock>, "nobody may delete one through its base");

struct sharing : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};

  std::vector<std::string> left() {
    auto keys = server.keys();
    std::erase_if(keys, [](const std::string& key) { return key.starts_with("holdfast:fence:"); });
    return keys;
  }
  template <class Wait>
  std::future<std::uint64_t> start(Wait wait) {
    return std::async(std::launch::async, wait);
  }
};

TEST_F(sharing, readers_together_writers_alone) {
  lease one = acquire_shared(redis, "door");
  lease two = acquire_shared(other, "door");
  EXPECT_EQ(try_acquire_exclusive(redis, "door").code(), errc::held);
  EXPECT_EQ(server.number({"ZSCORE", "door", "#"}), 2);
  EXPECT_TRUE(server.keys_without_expiry().empty());
  EXPECT_EQ(one.release(), release_outcome::released);
  EXPECT_EQ(try_acquire_exclusive(redis, "door").code(), errc::held);
  EXPECT_EQ(two.release(), release_outcome::released);
  lease writer = try_acquire_exclusive(redis, "door").value();
  EXPECT_GT(writer.fence(), two.fence());
  EXPECT_EQ(try_acquire_shared(other, "door").code(), errc::held);
  EXPECT_EQ(try_acquire_exclusive(other, "door").code(), errc::held);
  EXPECT_EQ(writer.release(), release_outcome::released);
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(sharing, std_locks_work_and_threads_of_one_object_read_together) {
  shared_mutex door{redis, "door"};
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
      EXPECT_FALSE(reader.try_lock_for(50ms));
      EXPECT_FALSE(reader.try_lock_until(std::chrono::steady_clock::now() + 20ms));
    }}.join();
    EXPECT_EQ(door.lock_shared(std::nothrow).code(), errc::deadlock);
  }
  EXPECT_EQ(door.fence(), 0U) << "nothing is held by this thread";
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(sharing, first_come_first_served_and_readers_in_batches) {
  lease held = acquire_exclusive(redis, "door");
  // R R W R R: two batches of readers around a writer.
  const std::string order = "RRWRR";
  std::mutex guard;
  std::string came;
  std::atomic<int> reading{0};
  std::vector<std::uint64_t> fences(order.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < order.size(); ++i) {
    threads.emplace_back([&, i] {
      const bool writes = order[i] == 'W';
      lease mine = writes ? acquire_exclusive(other, "door") : acquire_shared(other, "door");
      fences[i] = mine.fence();
      {
        const std::lock_guard lock{guard};
        came += order[i];
      }
      if (writes) {
        EXPECT_EQ(reading, 0);
        return;
      }
      ++reading;
      EXPECT_TRUE(eventually(patience, [&] { return reading >= 2; })) << "the reader next to it goes in with it";
      std::this_thread::sleep_for(100ms);  // both have seen it
      --reading;
    });
    ASSERT_TRUE(queue_reaches(server, "door", static_cast<long long>(i) + 1));
  }
  EXPECT_EQ(try_acquire_shared(redis, "door").code(), errc::held);
  held.release();
  for (auto& each : threads) each.join();
  EXPECT_EQ(came, order);
  EXPECT_GT(fences[2], std::max(fences[0], fences[1]));
  EXPECT_LT(fences[2], std::min(fences[3], fences[4]));
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
  EXPECT_EQ(other.stats().woken_by_timer, 0U);
}

TEST_F(sharing, a_waiting_writer_is_not_overtaken_by_readers) {
  lease reader = acquire_shared(redis, "door");
  auto writer = start([&] { return acquire_exclusive(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  EXPECT_EQ(try_acquire_shared(redis, "door").code(), errc::held);
  reader.release();
  EXPECT_GT(writer.get(), reader.fence());
}

TEST_F(sharing, a_writer_that_gives_up_lets_those_behind_it_in) {
  lease reader = acquire_shared(redis, "door");
  auto writer = std::async(std::launch::async,
                           [&] { return acquire_exclusive(std::nothrow, other, "door", {.wait = 700ms}).code(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  auto behind = start([&] { return acquire_shared(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 2));
  EXPECT_EQ(writer.get(), errc::timed_out);
  ASSERT_EQ(behind.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(reader.state(), lease_state::VALID) << "it never left";
  EXPECT_EQ(other.stats().woken_by_push, 1U);
}

TEST_F(sharing, downgrade_lets_the_readers_behind_in) {
  lease mine = acquire_exclusive(redis, "door");
  auto reader = start([&] { return acquire_shared(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  const auto fence = mine.fence();
  ASSERT_TRUE(downgrade(mine));
  ASSERT_EQ(reader.wait_for(patience), std::future_status::ready);
  EXPECT_GT(reader.get(), fence);
  EXPECT_EQ(mine.fence(), fence);
  EXPECT_TRUE(downgrade(mine)) << "it changes nothing for a reader";
  ASSERT_TRUE(mine.extend(std::nothrow, 20s));
  EXPECT_TRUE(eventually(patience, [&] { return server.number({"ZSCORE", "door", "#"}) == 1; }));
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(sharing, upgrade_waits_for_the_other_readers_and_passes_the_queue) {
  lease mine = acquire_shared(redis, "door");
  lease last = acquire_shared(redis, "door");
  auto writer = start([&] { return acquire_exclusive(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  const auto shared_fence = mine.fence();
  auto upgraded = std::async(std::launch::async, [&] { return upgrade(mine, {.wait = 5s}); });
  ASSERT_TRUE(queue_reaches(server, "door", 2));
  EXPECT_EQ(last.release(), release_outcome::released);
  ASSERT_EQ(upgraded.wait_for(patience), std::future_status::ready);
  const auto done = upgraded.get();
  ASSERT_TRUE(done) << done.failure().detail;
  EXPECT_EQ(server.number({"ZSCORE", "door", "#"}), 100'000'000);
  EXPECT_GT(mine.fence(), shared_fence);
  ASSERT_EQ(writer.wait_for(100ms), std::future_status::timeout);
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_GT(writer.get(), mine.fence());
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(sharing, a_second_upgrader_is_refused_and_keeps_its_share) {
  lease first = acquire_shared(redis, "door");
  lease second = acquire_shared(other, "door");
  auto upgraded = std::async(std::launch::async, [&] { return upgrade(first, {.wait = 10s}); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  const auto refused = upgrade(second);
  EXPECT_EQ(refused.code(), errc::deadlock);
  EXPECT_TRUE(has(refused.failure().detail, "another reader")) << refused.failure().detail;
  EXPECT_EQ(try_upgrade(second).code(), errc::deadlock);
  EXPECT_EQ(second.state(), lease_state::VALID);
  EXPECT_EQ(second.release(), release_outcome::released);
  EXPECT_TRUE(upgraded.get());
  EXPECT_EQ(try_acquire_shared(other, "door").code(), errc::held);
}

TEST_F(sharing, an_upgrade_that_gives_up_keeps_the_share_for_its_whole_ttl) {
  lease mine = acquire_shared(redis, "door", {.ttl = 60s});
  lease last = acquire_shared(other, "door");
  EXPECT_EQ(try_upgrade(mine).code(), errc::held);
  EXPECT_EQ(upgrade(mine, {.ttl = 500ms, .wait = 150ms}).code(), errc::timed_out);
  EXPECT_TRUE(queue_reaches(server, "door", 0));
  EXPECT_EQ(server.number({"ZSCORE", "door", "#"}), 2);
  last.release();
  ASSERT_TRUE(try_upgrade(mine, {.ttl = 500ms, .renew = false}));
  EXPECT_GT(server.number({"PTTL", "door"}), 30'000) << "a share is never cut short";
  EXPECT_EQ(mine.release(), release_outcome::released);
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

// Writers' fences increase also when the same reader passes the same waiter again and again; and that has an end.
TEST_F(sharing, upgrades_past_one_waiter_draw_increasing_fences_and_are_bounded) {
  lease mine = acquire_shared(redis, "door");
  lease keeps = acquire_shared(redis, "door");
  auto writer = start([&] { return acquire_exclusive(other, "door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  keeps.release();
  std::uint64_t last = mine.fence();
  int passed = 0;
  result<void> done = try_upgrade(mine);
  for (; done && passed < 100; ++passed) {
    EXPECT_GT(mine.fence(), last);
    last = mine.fence();
    ASSERT_TRUE(downgrade(mine));
    done = try_upgrade(mine);
  }
  EXPECT_EQ(passed, 15);
  EXPECT_EQ(done.code(), errc::deadlock);
  mine.release();
  EXPECT_GT(writer.get(), last);
}

TEST_F(sharing, every_form_that_throws_has_one_that_does_not) {
  shared_mutex door{redis, "door"};
  shared_mutex same{other, "door"};
  EXPECT_EQ(door.extend(std::nothrow, 10s).code(), errc::lost) << "not held";
  ASSERT_TRUE(door.try_lock_shared(std::nothrow));
  EXPECT_EQ(same.try_lock(std::nothrow).code(), errc::held);
  ASSERT_TRUE(same.try_lock_shared(std::nothrow));
  EXPECT_TRUE(same.extend(std::nothrow, 20s));
  door.unlock_shared();
  same.unlock_shared();
  ASSERT_TRUE(door.try_lock(std::nothrow));
  EXPECT_EQ(same.try_lock_shared(std::nothrow).code(), errc::held);
  door.unlock();
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(sharing, upgrade_of_a_lost_share_is_refused_by_the_server) {
  lease mine = acquire_shared(redis, "door");
  server.number({"DEL", "door"});
  EXPECT_EQ(try_upgrade(mine).code(), errc::lost);
  EXPECT_EQ(mine.release(), release_outcome::was_lost);
}

TEST_F(sharing, the_object_upgrades_and_downgrades_its_threads_hold) {
  shared_mutex door{redis, "door"};
  EXPECT_EQ(door.upgrade(std::nothrow).code(), errc::lost);
  door.lock_shared();
  door.upgrade();
  EXPECT_EQ(try_acquire_shared(other, "door").code(), errc::held);
  door.downgrade();
  EXPECT_TRUE(try_acquire_shared(other, "door"));
  door.extend(10s);
  EXPECT_GT(door.remaining(), 5s);
  door.unlock_shared();
  EXPECT_TRUE(door.lost().stop_requested());
  EXPECT_TRUE(left().empty()) << testing::PrintToString(left());
}

TEST_F(sharing, leases_are_renewed_and_their_loss_is_signalled) {
  std::atomic<int> lost{0};
  lease reader = acquire_shared(redis, "door", {.ttl = 600ms, .on_lost = [&](const loss&) { ++lost; }});
  std::this_thread::sleep_for(1500ms);  // longer than its ttl
  EXPECT_EQ(reader.state(), lease_state::VALID);
  EXPECT_GT(redis.stats().renewals, 0U);
  server.number({"DEL", "door"});
  EXPECT_TRUE(eventually(patience, [&] { return lost == 1; }));
  EXPECT_TRUE(reader.lost().stop_requested());
}

TEST_F(sharing, a_name_belongs_to_one_kind_of_lock) {
  lease plain = redis.acquire("door");
  const auto shared = try_acquire_shared(other, "door");
  EXPECT_EQ(shared.code(), errc::wrong_type);
  EXPECT_TRUE(has(shared.failure().detail, "holds a string, not a read-write lock")) << shared.failure().detail;
  plain.release();
  server.number({"ZADD", "scores", "7", "somebody"});
  EXPECT_EQ(try_acquire_shared(redis, "scores").code(), errc::wrong_type) << "a sorted set that is not ours";
  EXPECT_EQ(server.number({"ZCARD", "scores"}), 1);
  lease reader = acquire_shared(redis, "door");
  EXPECT_EQ(redis.try_acquire("door").code(), errc::wrong_type);
  EXPECT_THROW((shared_mutex{redis, "door", {.owner = "me"}}), error);
  EXPECT_EQ(upgrade(plain).code(), errc::bad_option);
}

}  // namespace
}  // namespace holdfast::test
