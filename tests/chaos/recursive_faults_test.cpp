// recursive_mutex under faults of its own steps: answers and messages that are lost, links that break, processes that die.
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "chaos/bystander.hpp"
#include "scripts/sources.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/places.hpp"
#include "support/process.hpp"
#include "support/redisson.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
constexpr auto patience = 10'000ms;

class recursive_faults : public testing::Test {
 protected:
  recursive_faults() {
    for (const auto* each : {&scripts::recursive_acquire, &scripts::recursive_release, &scripts::recursive_renew}) {
      static_cast<void>(server.text({"SCRIPT", "LOAD", std::string{each->source}}));
    }
    EXPECT_TRUE(through.ping());
    EXPECT_TRUE(direct.ping());
  }

  std::string holder() {
    for (const std::string& field : server.list({"HKEYS", "door"})) {
      if (field != "holdfast") return field;
    }
    return {};
  }
  long long count() { return holder().empty() ? 0 : server.number({"HGET", "door", holder()}); }
  bool queue_has(long long waiters) {
    return eventually(patience, [&] { return server.number({"ZCARD", "{door}:waiters"}) == waiters; });
  }
  bool key_goes() {
    return eventually(patience, [&] { return server.number({"EXISTS", "door"}) == 0; });
  }
  std::string locker() { return helper("recursive_locker"); }

  redis_server server;
  gate between{server.port()};
  client through{quick(between.url())};
  client direct{quick(server.url())};
};

TEST_F(recursive_faults, a_lost_answer_never_counts_twice) {
  for (const auto& what : {fault::cut(), fault::reset(), fault::drop_reply()}) {
    recursive_mutex door{through, "door"};
    between.when_reply("\r\ngranted ", what);
    const auto got = door.try_lock_for(std::nothrow, 2s);
    EXPECT_TRUE(got || what.what == fault::kind::drop_reply) << "a broken link is mended, silence is not";
    if (got) {
      EXPECT_EQ(count(), 1);
      door.lock();
      EXPECT_EQ(count(), 1);
      door.unlock();
      door.unlock();
    }
    between.pass();
    EXPECT_TRUE(key_goes()) << "released, or undone";
  }
  EXPECT_EQ(between.triggered(), 3U);
}

TEST_F(recursive_faults, a_lost_answer_to_the_release_leaves_nothing) {
  recursive_mutex door{through, "door"};
  const std::string release{scripts::recursive_release.sha1};
  for (const auto& what : {fault::cut(), fault::reset()}) {
    door.lock();
    between.when(release, what, moment::executed);
    EXPECT_NE(door.release(), release_outcome::was_lost);
    EXPECT_TRUE(key_goes());
  }
  // The release that is tried again must not touch the next hold, which has another owner.
  door.lock();
  between.when(release, fault::cut(), moment::before);
  EXPECT_EQ(door.release(), release_outcome::released);
  door.lock();
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(door.state(), lease_state::VALID);
  door.unlock();
  EXPECT_TRUE(key_goes());
}

TEST_F(recursive_faults, a_lost_grant_is_found_by_the_timer) {
  recursive_mutex first{direct, "door"};
  recursive_mutex second{through, "door"};
  first.lock();
  auto came = std::async(std::launch::async, [&] {
    const std::scoped_lock mine{second};
    return count();
  });
  ASSERT_TRUE(queue_has(1));
  between.when_reply("$7\r\nmessage\r\n", fault::drop_reply(1));
  first.unlock();
  ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(came.get(), 1);
  EXPECT_EQ(between.triggered(), 1U);
  EXPECT_EQ(through.stats().woken_by_timer, 1U);
  EXPECT_TRUE(key_goes());
}

TEST_F(recursive_faults, a_hold_survives_a_broken_link) {
  recursive_mutex door{through, "door"};
  door.lock();
  between.cut();
  door.lock();
  EXPECT_EQ(door.depth(), 2U);
  EXPECT_TRUE(eventually(patience, [&] { return door.state() == lease_state::VALID; }));
  door.unlock();
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_TRUE(key_goes());
}

TEST_F(recursive_faults, a_holder_that_is_cut_off_learns_it_before_the_server_gives_the_lock_away) {
  recursive_mutex door{through, "door", {.ttl = 600ms}};
  door.lock();
  door.lock();
  const auto lost = door.lost();
  between.set(fault::black_hole(direction::both));
  recursive_mutex other{direct, "door"};
  other.lock();
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(door.lock(std::nothrow).code(), errc::lost);
  other.unlock();
  between.pass();
  door.unlock();
  EXPECT_EQ(door.release(), release_outcome::was_lost);
}

TEST_F(recursive_faults, a_killed_holder_frees_the_lock_by_its_expiry) {
  process holder{{locker(), server.url(), "door", "500"}};
  ASSERT_EQ(holder.read_line(patience), "asking");
  ASSERT_TRUE(holder.read_line(patience));
  EXPECT_EQ(count(), 1);
  redisson_lock java{server, "door"};
  EXPECT_FALSE(java.try_lock(30s));
  holder.kill();
  EXPECT_TRUE(java.lock(30s, patience)) << "Java, too, follows at the expiry";
  EXPECT_EQ(java.unlock(), true);
}

TEST_F(recursive_faults, a_killed_waiter_is_passed_over) {
  recursive_mutex first{direct, "door"};
  first.lock();
  process waiter{{locker(), server.url(), "door", "30000"}};
  ASSERT_EQ(waiter.read_line(patience), "asking");
  ASSERT_TRUE(queue_has(1));
  auto came = std::async(std::launch::async, [&] {
    recursive_mutex mine{through, "door"};
    const std::scoped_lock inside{mine};
  });
  ASSERT_TRUE(queue_has(2));
  waiter.kill();
  ASSERT_TRUE(waiter.wait(patience));
  first.unlock();
  ASSERT_EQ(came.wait_for(patience), std::future_status::ready) << "not the 30 s of the dead";
  EXPECT_TRUE(key_goes());
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
}

TEST_F(recursive_faults, an_unlock_that_is_not_the_last_keeps_the_lock) {
  process holder{{locker(), server.url(), "door", "30000"}};
  ASSERT_EQ(holder.read_line(patience), "asking");
  ASSERT_TRUE(holder.read_line(patience));
  holder.write("\n");
  EXPECT_EQ(holder.read_line(patience), "depth 1");
  recursive_mutex other{direct, "door"};
  EXPECT_FALSE(other.try_lock());
  holder.write("\n");
  EXPECT_EQ(holder.read_line(patience), "released");
  EXPECT_TRUE(other.try_lock());
  other.unlock();
}

// At maxmemory: no new lock, but the one that is held is kept, found again after a lost answer, and given back.
TEST_F(recursive_faults, a_full_server_keeps_what_is_held) {
  recursive_mutex held{direct, "door", {.ttl = 600ms}};
  held.lock();
  server.command({"CONFIG", "SET", "maxmemory", "1"});
  recursive_mutex fresh{direct, "other"};
  EXPECT_EQ(fresh.try_lock(std::nothrow).code(), errc::out_of_memory);
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(held.state(), lease_state::VALID) << "renewed";
  EXPECT_EQ(held.release(), release_outcome::released);
  server.command({"CONFIG", "SET", "maxmemory", "0"});
}

}  // namespace
}  // namespace holdfast::test
