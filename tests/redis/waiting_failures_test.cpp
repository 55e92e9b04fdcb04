// Waiting among the dead: holders and waiters that are killed or stopped, as processes of their own (helpers/locker).
#include <gtest/gtest.h>

#include <future>
#include <sstream>
#include <thread>
#include <utility>

#include "redis/common.hpp"
#include "support/boottime.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

// One locker process.
class locker {
 public:
  locker(const redis_server& server, const std::string& name, std::chrono::milliseconds ttl)
      : process_{{helper("locker"), server.url(), name, std::to_string(ttl.count()), "0"}} {
    EXPECT_EQ(process_.read_line(patience), "asking");
  }
  // When it got the lock, by boottime; nothing within the limit is a failure.
  std::int64_t got(std::chrono::milliseconds limit = patience) {
    const auto line = process_.read_line(limit);
    if (!line || !line->starts_with("got ")) {
      ADD_FAILURE() << "no lock: " << line.value_or("(nothing)");
      return 0;
    }
    std::istringstream words{line->substr(4)};
    std::int64_t time = 0;
    words >> fence_ >> time;
    return time;
  }
  [[nodiscard]] bool silent(std::chrono::milliseconds time) { return !process_.read_line(time); }
  // When it called release.
  std::int64_t release(const std::string& outcome = "released") {
    process_.write("\n");
    const auto line = process_.read_line(patience);
    if (!line || !line->starts_with(outcome + " ")) {
      ADD_FAILURE() << "not " << outcome << ": " << line.value_or("(nothing)");
      return 0;
    }
    return std::stoll(line->substr(outcome.size() + 1));
  }
  [[nodiscard]] std::uint64_t fence() const { return fence_; }
  process& operator*() { return process_; }
  process* operator->() { return &process_; }

 private:
  process process_;
  std::uint64_t fence_ = 0;
};

std::chrono::nanoseconds between(std::int64_t from, std::int64_t to) { return std::chrono::nanoseconds{to - from}; }

struct waiting_failures : testing::Test {
  redis_server server;

  locker holds(std::chrono::milliseconds ttl) {
    locker made{server, "door", ttl};
    made.got();
    return made;
  }
  // Returns when it is the so many-th in the queue.
  locker waits(int place, std::chrono::milliseconds ttl = 30s) {
    locker made{server, "door", ttl};
    EXPECT_TRUE(queue_reaches(server, "door", place));
    return made;
  }
  // So many clients listen, as far as the server has seen.
  bool inboxes_reach(std::size_t count) {
    return eventually(patience, [&] {
      return server.list({"PUBSUB", "CHANNELS", "holdfast:inbox:????????????????"}).size() == count;
    });
  }
};

TEST_F(waiting_failures, a_killed_holder_is_followed_within_its_ttl) {
  locker holder = holds(1000ms);
  locker next = waits(1, 1000ms);
  const auto killed = boottime_ns();
  holder->kill();
  const auto got = next.got();
  EXPECT_LE(between(killed, got), 1200ms) << "ttl + 200 ms";
  EXPECT_GT(next.fence(), holder.fence());
  next.release();
  EXPECT_TRUE(queue_reaches(server, "door", 0));
}

TEST_F(waiting_failures, a_stopped_holder_is_followed_and_learns_of_its_loss) {
  locker holder = holds(1000ms);
  locker next = waits(1);
  const auto stopped = boottime_ns();
  holder->pause();
  EXPECT_LE(between(stopped, next.got()), 1200ms);
  holder->resume();
  holder.release("was_lost");
  EXPECT_TRUE(next.silent(100ms));
  next.release("released");
}

TEST_F(waiting_failures, a_killed_waiter_costs_nothing) {
  client redis{at(server)};
  lease held = redis.acquire("door");
  locker first = waits(1);
  locker second = waits(2);
  locker third = waits(3);
  first->kill();
  second->kill();
  ASSERT_TRUE(first->wait(patience) && second->wait(patience));
  ASSERT_TRUE(inboxes_reach(2)) << "the server has seen their connections close";
  const auto released = boottime_ns();
  held.release();
  EXPECT_LE(between(released, third.got()), 200ms);
  third.release();
  EXPECT_EQ(server.number({"EXISTS", "door", waiters_of("door"), "{door}:seen"}), 0);
}

TEST_F(waiting_failures, stopped_waiters_delay_the_next_for_one_claim_window) {
  client redis{at(server)};
  lease held = redis.acquire("door");
  locker first = waits(1);
  locker second = waits(2);
  locker third = waits(3);
  first->pause();
  second->pause();
  const auto released = boottime_ns();
  held.release();
  const auto got = third.got();
  EXPECT_LE(between(released, got), 3200ms) << "the claim window, for both of them together";
  first->resume();
  second->resume();
  EXPECT_TRUE(first.silent(300ms)) << "a grant that is over must not be used";
  EXPECT_TRUE(second.silent(300ms));
  EXPECT_TRUE(queue_reaches(server, "door", 2)) << "they queue again";
  third.release();
  // Which of the two comes first now is open.
  locker* next = &first;
  locker* last = &second;
  auto line = (*first).read_line(50ms);
  if (!line) {
    std::swap(next, last);
    line = (*second).read_line(patience);
  }
  ASSERT_TRUE(line && line->starts_with("got ")) << line.value_or("(nothing)");
  next->release();
  last->got();
  last->release();
  EXPECT_GT(last->fence(), third.fence());
  EXPECT_TRUE(queue_reaches(server, "door", 0));
}

TEST_F(waiting_failures, waiters_stopped_for_long_cost_nothing) {
  client redis{at(server)};
  lease held = redis.acquire("door");
  locker first = waits(1);
  locker second = waits(2);
  first->pause();
  std::this_thread::sleep_for(3500ms);  // three heartbeats are missing
  const auto released = boottime_ns();
  held.release();
  EXPECT_LE(between(released, second.got()), 200ms);
  second.release();
  first->resume();
  first.got();
  first.release();
}

TEST_F(waiting_failures, a_waiter_that_lost_its_connection_queues_again) {
  client redis{at(server)};
  client waiter{at(server)};
  lease held = redis.acquire("door");
  auto next = std::async(std::launch::async, [&] { return waiter.acquire("door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  ASSERT_GT(server.number({"CLIENT", "KILL", "TYPE", "pubsub"}), 0);
  EXPECT_TRUE(eventually(patience, [&] { return waiter.stats().reconnects >= 1; }));
  EXPECT_TRUE(inboxes_reach(2));
  held.release();
  ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
  EXPECT_GT(next.get(), held.fence());
  EXPECT_TRUE(queue_reaches(server, "door", 0));
}

}  // namespace
}  // namespace holdfast::test
