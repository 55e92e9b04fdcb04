// inspect and list tell every kind of the family from the others, with what is special about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

class inspecting_kinds : public testing::Test {
 protected:
  redis_server server_;
  client redis_{at(server_)};
  client watcher_{at(server_)};

  lock_info look(std::string_view name) { return inspect(watcher_, name, {.patience = 0ms}).value(); }
  lock_info find(std::string_view name) {
    const lock_list found = list(watcher_, {}, {.patience = 0ms}).value();
    const auto at = std::ranges::find(found.locks, name, &lock_info::name);
    return at == found.locks.end() ? lock_info{} : *at;
  }
};

TEST_F(inspecting_kinds, mutex_and_nothing) {
  EXPECT_EQ(look("door").kind, lock_kind::unknown);
  const lease held = redis_.acquire("door");
  EXPECT_EQ(look("door").kind, lock_kind::mutex);
  EXPECT_EQ(look("door").held_by.at(0).owner, held.owner());
  server_.text({"SET", "foreign", "me", "PX", "60000"});
  EXPECT_EQ(look("foreign").kind, lock_kind::mutex);
  server_.number({"LPUSH", "list", "x"});
  EXPECT_EQ(look("list").kind, lock_kind::unknown);
}

TEST_F(inspecting_kinds, recursive_mutex_with_its_fence) {
  recursive_mutex deep{redis_, "deep"};
  deep.lock();
  const lock_info seen = look("deep");
  EXPECT_EQ(seen.kind, lock_kind::recursive_mutex);
  EXPECT_EQ(seen.fence, deep.fence()) << "from the hash, without asking";
  EXPECT_EQ(find("deep").kind, lock_kind::recursive_mutex);
  deep.unlock();
}

TEST_F(inspecting_kinds, readers_and_a_writer) {
  lease first = acquire_shared(redis_, "data", {.ttl = 20s});
  lease second = acquire_shared(redis_, "data", {.ttl = 10s});
  lock_info seen = look("data");
  EXPECT_EQ(seen.kind, lock_kind::shared_mutex);
  EXPECT_FALSE(seen.capacity);
  ASSERT_EQ(seen.held_by.size(), 2U);
  EXPECT_EQ(seen.held_by[0].owner, second.owner()) << "the first to end in front";
  EXPECT_LE(seen.held_by[0].remaining.value(), 10s);
  EXPECT_GT(seen.held_by[1].remaining.value(), 10s);
  EXPECT_EQ(seen.held_by[1].weight, 1U);
  EXPECT_EQ(seen.held_by[1].pid, ::getpid());
  first.release();
  second.release();
  const lease writer = acquire_exclusive(redis_, "data");
  seen = find("data");
  ASSERT_EQ(seen.held_by.size(), 1U);
  EXPECT_EQ(seen.held_by[0].weight, 100'000'000U);
  EXPECT_EQ(seen.kind, lock_kind::shared_mutex);
}

TEST_F(inspecting_kinds, a_semaphore_with_its_capacity_and_who_waits_for_how_many) {
  semaphore pool{redis_, "pool", 5};
  const lease two = pool.take(2);
  EXPECT_EQ(look("pool").kind, lock_kind::semaphore);
  EXPECT_EQ(look("pool").capacity, 5U);
  EXPECT_EQ(look("pool").in_use, 2U);
  std::stop_source stop;
  auto waiting =
      std::async(std::launch::async, [&] { return pool.take(std::nothrow, 4, {.stop = stop.get_token()}).code(); });
  ASSERT_TRUE(queue_reaches(server_, "pool", 1));
  EXPECT_EQ(look("pool").waiters.at(0).weight, 4U);
  stop.request_stop();
  EXPECT_EQ(waiting.get(), errc::cancelled);
  lease three = pool.take(3);  // joins others: not the most frequent way in
  EXPECT_EQ(find("pool").capacity, 5U);
  EXPECT_EQ(find("pool").in_use, 5U);
  pool.set_capacity(7);
  EXPECT_EQ(find("pool").capacity, 7U) << "what counts from now on";
  three.release();
  EXPECT_EQ(find("pool").in_use, 2U);
}

TEST_F(inspecting_kinds, a_latch_until_it_is_open) {
  latch done{redis_, "done", 3};
  done.count_down();
  lock_info seen = look("done");
  EXPECT_EQ(seen.kind, lock_kind::latch);
  EXPECT_EQ(seen.layout, lock_layout::meeting);
  EXPECT_FALSE(seen.held);
  ASSERT_TRUE(seen.meeting);
  EXPECT_EQ(seen.meeting->expected, 3U);
  EXPECT_EQ(seen.meeting->missing, 2U);
  EXPECT_EQ(seen.meeting->phase, 0U);
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    latch same{redis_, "done", 3};
    return same.wait_for(std::nothrow, patience);
  });
  ASSERT_TRUE(queue_reaches(server_, "done", 1));
  EXPECT_EQ(find("done").waiting, 1U);
  done.count_down(2);
  EXPECT_TRUE(waiting.get());
  seen = find("done");
  EXPECT_EQ(seen.kind, lock_kind::latch);
  EXPECT_EQ(seen.meeting->missing, 0U);
  EXPECT_EQ(seen.meeting->phase, 1U);
  EXPECT_EQ(break_lock(watcher_, "done", "").code(), errc::wrong_type);
}

TEST_F(inspecting_kinds, a_barrier_phase_after_phase) {
  barrier step{redis_, "step", 2};
  static_cast<void>(step.arrive(2));
  static_cast<void>(step.arrive(1));
  const lock_info seen = find("step");
  EXPECT_EQ(seen.kind, lock_kind::barrier);
  EXPECT_EQ(seen.meeting->phase, 1U);
  EXPECT_EQ(seen.meeting->missing, 1U);
  EXPECT_EQ(seen.meeting->members, 2U);
}

TEST_F(inspecting_kinds, an_elector_with_leader_and_term) {
  elector seat{redis_, "seat", {.id = "web-1"}};
  lease held = seat.campaign();
  lock_info seen = find("seat");
  EXPECT_EQ(seen.kind, lock_kind::elector);
  EXPECT_EQ(seen.leader, "web-1");
  EXPECT_EQ(seen.fence, held.fence());
  ASSERT_TRUE(break_lock(watcher_, "seat", ""));
  const lease another = redis_.acquire("seat");
  seen = look("seat");
  EXPECT_EQ(seen.kind, lock_kind::mutex) << "the record is about an earlier holder";
  EXPECT_FALSE(seen.leader);
}

TEST_F(inspecting_kinds, the_loader_of_a_cache) {
  cache<std::string> pages{redis_};
  std::promise<void> inside;
  std::promise<void> go_on;
  auto loading = std::async(std::launch::async, [&] {
    return pages.get_or_load("page", 60s, [&] {
      inside.set_value();
      go_on.get_future().wait();
      return std::string{"text"};
    });
  });
  inside.get_future().wait();
  EXPECT_EQ(find("cache:page").kind, lock_kind::cache);
  go_on.set_value();
  EXPECT_EQ(loading.get(), "text");
  // Whatever prefix it has: a value lies beside it.
  const lease refreshing = redis_.acquire("other:page");
  EXPECT_EQ(look("other:page").kind, lock_kind::mutex);
  server_.text({"SET", "{other:page}:value", "1 0 1 v x", "PX", "60000"});
  EXPECT_EQ(look("other:page").kind, lock_kind::cache);
}

TEST_F(inspecting_kinds, locks_that_were_taken_together) {
  const multi_lease both = acquire_all(redis_, {"b", "a"});
  const lease single = redis_.acquire("c");
  EXPECT_EQ(find("a").kind, lock_kind::multi_lock);
  EXPECT_EQ(find("a").together, std::vector<std::string>{"b"});
  EXPECT_EQ(find("b").together, std::vector<std::string>{"a"});
  EXPECT_EQ(find("c").kind, lock_kind::mutex);
  EXPECT_EQ(look("a").kind, lock_kind::mutex) << "one key alone does not tell";
}

TEST_F(inspecting_kinds, redissons_read_write_lock_with_hold_counts) {
  const std::string uuid = "285475da-9152-4c83-822a-67ee2f116a79";
  server_.number({"HSET", "rw", "mode", "read", uuid + ":1", "1", uuid + ":2", "3"});
  const lock_info seen = look("rw");
  EXPECT_EQ(seen.kind, lock_kind::shared_mutex);
  ASSERT_EQ(seen.held_by.size(), 2U);
  EXPECT_EQ(seen.held_by[1].owner, uuid + ":2");
  EXPECT_EQ(seen.held_by[1].weight, 3U);
  server_.number({"HSET", "java", uuid + ":1", "2"});
  EXPECT_EQ(look("java").kind, lock_kind::recursive_mutex);
  EXPECT_FALSE(look("java").fence);
}

// A page of keys is still one round trip: no further commands from the client.
TEST_F(inspecting_kinds, costs_no_further_round_trip) {
  const lease a = redis_.acquire("a");
  const lease b = acquire_shared(redis_, "b");
  latch done{redis_, "done", 1};
  static_cast<void>(done.try_wait());
  ASSERT_EQ(list(watcher_, {}, {.patience = 0ms}).value().locks.size(), 3U);
  const auto scripts = scripts_run(server_);
  const auto scans = server_.command_calls("scan");
  ASSERT_EQ(list(watcher_, {}, {.patience = 0ms}).value().locks.size(), 3U);
  EXPECT_EQ(scripts_run(server_) - scripts, 3);
  EXPECT_EQ(server_.command_calls("scan") - scans, 1);
}

}  // namespace
}  // namespace holdfast::test
