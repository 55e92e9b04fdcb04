// redisson_shared_mutex by itself: shape, what is at the keys, hand-off, loss, what status shows, and nothing left behind.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <regex>
#include <shared_mutex>
#include <thread>

#include "redis/common.hpp"
#include "support/left_behind.hpp"

namespace holdfast::test {
namespace {

struct redisson_sharing : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  redisson_shared_mutex door{redis, "door"};
  redisson_shared_mutex theirs{other, "door"};

  std::string mode() { return server.text({"HGET", "door", "mode"}); }
  std::string holder() {
    for (const std::string& field : server.list({"HKEYS", "door"})) {
      if (field != "mode") return field;
    }
    return {};
  }
};

TEST_F(redisson_sharing, has_the_shape_of_a_shared_timed_mutex) {
  {
    const std::shared_lock read{door};
    EXPECT_TRUE(theirs.try_lock_shared_for(1s));
    theirs.unlock_shared();
    EXPECT_FALSE(theirs.try_lock());
    EXPECT_EQ(theirs.try_lock(std::nothrow).code(), errc::held);
    EXPECT_FALSE(theirs.try_lock_for(50ms));
  }
  {
    const std::unique_lock write{door, std::chrono::steady_clock::now() + 5s};
    EXPECT_TRUE(write.owns_lock());
    EXPECT_FALSE(theirs.try_lock_shared());
    EXPECT_EQ(theirs.try_lock_shared(std::nothrow).code(), errc::held);
    EXPECT_FALSE(theirs.try_lock_shared_until(std::chrono::steady_clock::now() + 50ms));
  }
  const std::scoped_lock both{door};
  EXPECT_EQ(door.lock_shared(std::nothrow).code(), errc::deadlock);
  EXPECT_EQ(door.name(), "door");
}

TEST_F(redisson_sharing, lies_in_redissons_layout) {
  const std::string uuid =
      "[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-b[0-9a-f]{3}-[0-9a-f]{12}:" + std::to_string(::gettid());
  door.lock_shared();
  EXPECT_EQ(mode(), "read");
  EXPECT_EQ(server.number({"HLEN", "door"}), 2) << "no field that Redisson does not know";
  const std::string reader = holder();
  EXPECT_TRUE(std::regex_match(reader, std::regex{uuid})) << reader;
  EXPECT_EQ(server.text({"HGET", "door", reader}), "1");
  const std::string timeout = "{door}:" + reader + ":rwlock_timeout:1";
  EXPECT_EQ(server.text({"GET", timeout}), "1");
  EXPECT_GT(server.number({"PTTL", timeout}), 25'000);
  EXPECT_GE(server.number({"PEXPIRETIME", "door"}), server.number({"PEXPIRETIME", timeout}));
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});

  door.lock();
  EXPECT_EQ(mode(), "write");
  EXPECT_EQ(server.number({"HLEN", "door"}), 2);
  EXPECT_TRUE(std::regex_match(holder(), std::regex{uuid + ":write"})) << holder();
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  door.unlock();
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(redisson_sharing, names_with_a_tag_keep_it) {
  redisson_shared_mutex cart{redis, "{user:7}:cart"};
  const std::shared_lock read{cart};
  const std::string field = server.list({"HKEYS", "{user:7}:cart"}).at(1);
  EXPECT_EQ(server.number({"EXISTS", "{user:7}:cart:" + field + ":rwlock_timeout:1"}), 1);
}

TEST_F(redisson_sharing, renewal_keeps_both_keys) {
  redisson_shared_mutex quick{redis, "door", {.ttl = 1500ms}};
  quick.lock_shared();
  std::this_thread::sleep_for(2s);
  EXPECT_EQ(quick.state(), lease_state::VALID);
  EXPECT_GE(redis.stats().renewals, 2U);
  EXPECT_EQ(quick.release(), release_outcome::released);
  quick.lock();
  std::this_thread::sleep_for(2s);
  EXPECT_EQ(quick.release(), release_outcome::released);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(redisson_sharing, one_readers_end_is_not_anothers) {
  redisson_shared_mutex brief{other, "door", {.ttl = 300ms, .renew = false}};
  brief.lock_shared();
  door.lock_shared();
  std::this_thread::sleep_for(400ms);
  EXPECT_EQ(brief.state(), lease_state::LOST);
  EXPECT_EQ(brief.release(), release_outcome::was_lost);
  EXPECT_EQ(door.state(), lease_state::VALID);
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(redisson_sharing, writers_are_handed_the_lock_and_readers_go_in_together) {
  door.lock();
  const std::uint64_t first = door.fence();
  std::deque<client> clients;
  std::vector<std::future<std::uint64_t>> readers;
  std::atomic<int> inside{0};
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(at(server));
    readers.push_back(std::async(std::launch::async, [&, i] {
      redisson_shared_mutex mine{clients[static_cast<std::size_t>(i)], "door"};
      const std::shared_lock read{mine};
      ++inside;
      EXPECT_TRUE(eventually(patience, [&] { return inside == 4; })) << "all four at once";
      return mine.fence();
    }));
    ASSERT_TRUE(queue_reaches(server, "door", i + 1));
  }
  auto last = std::async(std::launch::async, [&] {
    const std::scoped_lock write{theirs};
    EXPECT_EQ(mode(), "write");
    return theirs.fence();
  });
  ASSERT_TRUE(queue_reaches(server, "door", 5));
  door.unlock();
  std::uint64_t highest = 0;
  for (auto& each : readers) {
    const std::uint64_t fence = each.get();
    EXPECT_GT(fence, first);
    highest = std::max(highest, fence);
  }
  EXPECT_GT(last.get(), highest);
  EXPECT_EQ(other.stats().woken_by_push, 1U) << "handed over, not found";
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(redisson_sharing, nobody_overtakes_a_waiting_writer) {
  door.lock_shared();
  auto writer = std::async(std::launch::async, [&] { const std::scoped_lock write{theirs}; });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  client third{at(server)};
  redisson_shared_mutex late{third, "door"};
  EXPECT_FALSE(late.try_lock_shared());
  EXPECT_FALSE(late.try_lock_shared_for(100ms));
  door.unlock_shared();
  writer.get();
  EXPECT_TRUE(late.try_lock_shared());
  late.unlock_shared();
}

// The writer that gave up stood in the way of the reader behind it.
TEST_F(redisson_sharing, a_writer_that_gives_up_lets_the_readers_behind_it_in) {
  door.lock_shared();
  auto writer = std::async(std::launch::async, [&] { return theirs.try_lock_for(700ms); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  client third{at(server)};
  redisson_shared_mutex behind{third, "door"};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(behind.try_lock_shared_for(patience));
  EXPECT_FALSE(writer.get());
  EXPECT_LT(since(start), 5s);
  behind.unlock_shared();
  door.unlock_shared();
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(redisson_sharing, downgrade_lets_readers_in_and_keeps_writers_out) {
  door.lock();
  const std::uint64_t fence = door.fence();
  auto reader = std::async(std::launch::async, [&] {
    theirs.lock_shared();
    const std::uint64_t got = theirs.fence();
    theirs.unlock_shared();
    return got;
  });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  door.downgrade();
  EXPECT_GT(reader.get(), fence);
  EXPECT_EQ(mode(), "read");
  EXPECT_EQ(door.fence(), fence);
  EXPECT_TRUE(door.downgrade(std::nothrow)) << "a reader already";
  door.extend(20s);
  EXPECT_FALSE(theirs.try_lock());
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_EQ(door.downgrade(std::nothrow).code(), errc::lost);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(redisson_sharing, a_lock_that_is_deleted_is_told_as_gone_or_taken) {
  redisson_shared_mutex quick{redis, "door", {.ttl = 600ms}};
  quick.lock_shared();
  const auto gone = quick.lost();
  server.number({"DEL", "door"});
  EXPECT_TRUE(eventually(patience, [&] { return gone.stop_requested(); }));
  EXPECT_EQ(quick.release(), release_outcome::was_lost);
  quick.lock();
  const auto taken = quick.lost();
  server.number({"DEL", "door"});
  EXPECT_TRUE(theirs.try_lock());
  EXPECT_TRUE(eventually(patience, [&] { return taken.stop_requested(); }));
  quick.unlock();
  EXPECT_EQ(theirs.release(), release_outcome::released) << "the late release took nothing";
}

TEST_F(redisson_sharing, what_it_cannot_do_is_refused) {
  const auto refusal = [&](const options& how) {
    try {
      redisson_shared_mutex made{redis, "x", how};
    } catch (const error& problem) {
      return problem.kind();
    }
    return errc::protocol;
  };
  EXPECT_EQ(refusal({.ttl = 31s}), errc::bad_option) << "Redisson's renewals would cut it short";
  EXPECT_EQ(refusal({.owner = "me"}), errc::bad_option);
  door.lock_shared();
  EXPECT_EQ(door.extend(std::nothrow, 31s).code(), errc::bad_option);
  EXPECT_TRUE(door.extend(std::nothrow, 30s));
  door.unlock_shared();
  EXPECT_EQ(door.extend(std::nothrow, 1s).code(), errc::lost);

  server.command({"SET", "string", "x", "PX", "60000"});
  server.command({"HSET", "hash", "name", "Ada"});
  server.command({"HSET", "modes", "mode", "dark"});
  for (const char* name : {"string", "hash", "modes"}) {
    redisson_shared_mutex wrong{redis, name};
    EXPECT_EQ(wrong.lock(std::nothrow).code(), errc::wrong_type) << name;
    EXPECT_EQ(wrong.lock_shared(std::nothrow).code(), errc::wrong_type) << name;
  }
  recursive_mutex plain{redis, "plain"};
  const std::scoped_lock held{plain};
  redisson_shared_mutex same{redis, "plain"};
  EXPECT_EQ(same.lock_shared(std::nothrow).code(), errc::wrong_type) << "Redisson would let us in beside it";
}

TEST_F(redisson_sharing, status_and_list_show_it) {
  door.lock_shared();
  theirs.lock_shared();
  client third{at(server)};
  redisson_shared_mutex late{third, "door"};
  auto waiting = std::async(std::launch::async, [&] { return late.try_lock_for(patience); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  client watcher{at(server)};
  const lock_info read = inspect(watcher, "door").value();
  EXPECT_EQ(read.layout, lock_layout::redisson_read);
  EXPECT_EQ(read.holders, 2U);
  EXPECT_EQ(read.waiting, 1U);
  EXPECT_EQ(read.contact, contact::answered);
  EXPECT_TRUE(read.fence == door.fence() || read.fence == theirs.fence());
  door.unlock_shared();
  theirs.unlock_shared();
  ASSERT_TRUE(waiting.get());

  ASSERT_TRUE(eventually(patience, [&] { return mode() == "write"; }));
  const lock_info write = inspect(watcher, "door").value();
  EXPECT_EQ(write.layout, lock_layout::redisson_write);
  EXPECT_EQ(write.holders, 1U);
  EXPECT_EQ(write.owner + ":write", holder());
  EXPECT_EQ(write.contact, contact::answered);
  const lock_list all = list(watcher, "*").value();
  ASSERT_EQ(all.locks.size(), 1U) << "the timeouts of readers are no locks";
  EXPECT_EQ(all.locks[0].name, "door");
}

}  // namespace
}  // namespace holdfast::test
