// recursive_mutex: shape, depth, what is at the key, hand-off, loss, crash, and nothing left behind.
#include <gtest/gtest.h>

#include <unistd.h>

#include <deque>
#include <future>
#include <mutex>
#include <regex>
#include <thread>

#include "redis/common.hpp"
#include "support/left_behind.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

struct recursive : testing::Test {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};

  std::string holder() {
    for (const std::string& field : server.list({"HKEYS", "door"})) {
      if (field != "holdfast") return field;
    }
    return {};
  }
  std::string count() { return holder().empty() ? "" : server.text({"HGET", "door", holder()}); }
};

TEST_F(recursive, is_lockable_and_timed_lockable) {
  recursive_mutex door{redis, "door"};
  {
    const std::scoped_lock outer{door};
    std::unique_lock inner{door, std::defer_lock};
    EXPECT_TRUE(inner.try_lock_for(1s));
    const std::unique_lock third{door, std::chrono::steady_clock::now() + 1s};
    EXPECT_TRUE(third.owns_lock());
    EXPECT_EQ(door.depth(), 3U);
  }
  EXPECT_EQ(door.depth(), 0U);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(recursive, lies_in_redissons_layout) {
  recursive_mutex door{redis, "door", {.ttl = 20s}};
  const std::scoped_lock hold{door};
  EXPECT_EQ(server.text({"TYPE", "door"}), "hash");
  // <uuid of version 8>:<thread id>
  EXPECT_TRUE(std::regex_match(holder(), std::regex{"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-b[0-9a-f]{3}-[0-9a-f]{12}:" +
                                                    std::to_string(::gettid())}))
      << holder();
  EXPECT_EQ(count(), "1");
  EXPECT_EQ(server.text({"HGET", "door", "holdfast"}), std::to_string(door.fence()));
  EXPECT_GT(server.number({"PTTL", "door"}), 15'000);
  EXPECT_LE(server.number({"PTTL", "door"}), 20'000);
}

TEST_F(recursive, entering_again_asks_nobody_and_the_key_is_there_exactly_while_inside) {
  recursive_mutex door{redis, "door"};
  door.lock();
  const auto fence = door.fence();
  const auto before = scripts_run(server);
  for (int i = 0; i < 1000; ++i) door.lock();
  EXPECT_TRUE(door.try_lock());
  EXPECT_EQ(door.depth(), 1002U);
  EXPECT_EQ(door.fence(), fence) << "one hold, one fence";
  EXPECT_EQ(count(), "1") << "what others go by: held or not";
  for (int i = 0; i < 1001; ++i) {
    EXPECT_EQ(door.release(), release_outcome::released);
    if (i % 100 == 0) {
      EXPECT_EQ(count(), "1");
    }
  }
  EXPECT_EQ(scripts_run(server), before) << "no round trip";
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
  EXPECT_EQ(door.release(), release_outcome::was_lost) << "not inside: nothing happens";
}

TEST_F(recursive, another_thread_is_another_owner) {
  recursive_mutex door{redis, "door"};
  door.lock();
  std::thread{[&] {
    EXPECT_FALSE(door.try_lock());
    EXPECT_FALSE(door.try_lock_for(50ms));
    EXPECT_EQ(door.depth(), 0U);
    door.unlock();  // not inside: nothing happens
  }}.join();
  EXPECT_EQ(server.number({"EXISTS", "door"}), 1);
  auto came = std::async(std::launch::async, [&] { const std::scoped_lock mine{door}; });
  EXPECT_EQ(came.wait_for(100ms), std::future_status::timeout);
  door.unlock();
  EXPECT_EQ(came.wait_for(patience), std::future_status::ready);
}

TEST_F(recursive, objects_of_one_client_are_one_lock) {
  recursive_mutex outer{redis, "door"};
  const std::scoped_lock hold{outer};
  {
    recursive_mutex inner{redis, "door"};
    EXPECT_TRUE(inner.try_lock());
    EXPECT_EQ(outer.depth(), 2U);
    inner.unlock();
  }
  recursive_mutex elsewhere{other, "door"};
  EXPECT_FALSE(elsewhere.try_lock()) << "another client is another owner, in the same thread too";
}

TEST_F(recursive, an_owner_of_the_callers_own_may_enter_from_any_thread) {
  recursive_mutex job{redis, "door", {.owner = "job-42"}};
  job.lock();
  EXPECT_EQ(server.text({"HGET", "door", "job-42"}), "1");
  std::thread{[&] {
    recursive_mutex same{redis, "door", {.owner = "job-42"}};
    EXPECT_TRUE(same.try_lock());
    EXPECT_EQ(same.depth(), 2U);
  }}.join();
  recursive_mutex thread{redis, "door"};
  EXPECT_FALSE(thread.try_lock());
  job.unlock();
  std::thread{[&] { job.unlock(); }}.join();
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
  EXPECT_THROW((recursive_mutex{redis, "door", {.owner = "holdfast"}}), error);
}

TEST_F(recursive, many_threads_of_one_owner_come_and_go_together) {
  recursive_mutex job{redis, "door", {.owner = "job-42"}};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        job.lock();
        job.unlock();
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(job.depth(), 0U);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(recursive, is_handed_over_in_order_and_leaves_nothing) {
  recursive_mutex first{redis, "door"};
  first.lock();
  std::vector<std::future<std::uint64_t>> waiters;
  std::deque<client> clients;
  for (int i = 0; i < 5; ++i) {
    clients.emplace_back(at(server));
    waiters.push_back(std::async(std::launch::async, [&mine = clients.back()] {
      recursive_mutex door{mine, "door"};
      door.lock();
      door.lock();
      const auto fence = door.fence();
      door.unlock();
      door.unlock();
      return fence;
    }));
    ASSERT_TRUE(queue_reaches(server, "door", i + 1));
  }
  auto last = first.fence();
  first.unlock();
  for (auto& each : waiters) {
    const auto fence = each.get();
    EXPECT_GT(fence, last) << "in the order of coming";
    last = fence;
  }
  EXPECT_EQ(redis.stats().handoffs_given, 1U);
  EXPECT_EQ(clients.back().stats().handoffs_received, 1U);
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
}

TEST_F(recursive, a_lost_lease_cannot_be_entered_again) {
  recursive_mutex door{redis, "door", {.ttl = 300ms}};
  door.lock();
  door.lock();
  const auto told = door.lost();
  server.number({"DEL", "door"});
  ASSERT_TRUE(eventually(patience, [&] { return told.stop_requested(); }));
  EXPECT_EQ(door.lock(std::nothrow).code(), errc::lost);
  EXPECT_EQ(door.try_lock(std::nothrow).code(), errc::lost);
  std::thread{[&] { EXPECT_FALSE(door.try_lock()) << "somebody is still inside"; }}.join();
  EXPECT_EQ(door.release(), release_outcome::was_lost);
  EXPECT_EQ(door.release(), release_outcome::was_lost);
  EXPECT_TRUE(door.try_lock()) << "out and in again";
  door.unlock();
}

TEST_F(recursive, is_renewed_while_inside) {
  recursive_mutex door{redis, "door", {.ttl = 300ms}};
  const std::scoped_lock hold{door};
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(door.state(), lease_state::VALID);
  EXPECT_EQ(count(), "1");
  door.extend(20s);
  EXPECT_GT(server.number({"PTTL", "door"}), 15'000);
}

TEST_F(recursive, and_plain_locks_refuse_each_others_keys) {
  recursive_mutex door{redis, "door"};
  {
    const std::scoped_lock hold{door};
    const auto plain = redis.try_acquire("door");
    EXPECT_EQ(plain.code(), errc::wrong_type);
    EXPECT_TRUE(has(plain.failure().detail, "hash")) << plain.failure().detail;
  }
  const lease plain = redis.acquire("door");
  const auto refused = door.try_lock(std::nothrow);
  EXPECT_EQ(refused.code(), errc::wrong_type);
  EXPECT_TRUE(has(refused.failure().detail, "string")) << refused.failure().detail;
  server.command({"HSET", "data", "name", "Ada"});
  recursive_mutex data{redis, "data"};
  EXPECT_EQ(data.try_lock(std::nothrow).code(), errc::wrong_type) << "a hash that is no lock";
}

TEST_F(recursive, can_be_looked_at_and_broken) {
  recursive_mutex door{redis, "door"};
  const std::scoped_lock hold{door};
  auto seen = inspect(other, "door").value();
  EXPECT_TRUE(seen.held);
  EXPECT_EQ(seen.layout, lock_layout::redisson);
  EXPECT_EQ(seen.owner, holder());
  EXPECT_EQ(seen.contact, contact::answered);
  EXPECT_EQ(seen.fence, door.fence());

  auto next = std::async(std::launch::async, [&] {
    recursive_mutex mine{other, "door"};
    const std::scoped_lock inside{mine};
  });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  const auto told = door.lost();
  const auto broken = break_lock(other, "door", holder()).value();
  EXPECT_TRUE(broken.told);
  EXPECT_FALSE(broken.next_owner.empty());
  EXPECT_TRUE(eventually(patience, [&] { return told.stop_requested(); }));
  next.get();

  server.command({"HSET", "job", "job-42", "1", "holdfast", "17"});
  EXPECT_EQ(inspect(other, "job").value().owner, "job-42");
}

TEST_F(recursive, a_fork_does_not_inherit_the_hold) {
  // The child copies one thread; nobody else runs at this moment but the client's own, which it leaves alone.
  recursive_mutex door{redis, "door"};
  door.lock();
  process child = fork_child([&] {
    const bool refused = door.lock(std::nothrow).code() == errc::forked;
    door.unlock();
    return refused ? 0 : 1;
  });
  EXPECT_EQ(child.wait(patience), (exit_status{0, 0}));
  EXPECT_EQ(count(), "1") << "the parent's";
  door.unlock();
}

}  // namespace
}  // namespace holdfast::test
