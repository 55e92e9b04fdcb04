// Several locks at once through the gate, and with processes that die: never some of them for ever, never a lock that its
// owner does not know of.
#include <gtest/gtest.h>
#include <holdfast/multi_lock.hpp>

#include <future>
#include <iostream>
#include <thread>

#include "chaos/bystander.hpp"
#include "chaos/two_ways.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

struct multi_lock_faults : two_ways {
  multi_lock_faults() {
    static_cast<void>(acquire_all(direct, {"warm", "up"}));  // the server knows the scripts
    EXPECT_TRUE(through.ping());
  }
  [[nodiscard]] bool all_free() {
    return eventually(10s, [&] { return server.number({"EXISTS", "a", "b", "{a}:waiters", "{b}:waiters"}) == 0; });
  }
};

TEST_F(multi_lock_faults, a_lost_answer_to_the_atomic_step_does_not_lock_out_its_owner) {
  way.when(std::string{scripts::multi_acquire.sha1}, fault::cut(), moment::executed);
  auto held = acquire_all(through, {"a", "b"}, {.wait = 5s});
  EXPECT_TRUE(way.wait_triggered());
  EXPECT_TRUE(held);
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(all_free());
}

TEST_F(multi_lock_faults, what_was_taken_unheard_is_given_back) {
  way.when(std::string{scripts::multi_acquire.sha1}, fault::down(), moment::executed);
  const auto tried = try_acquire_all(through, {"a", "b"}, {.ttl = 60s});
  EXPECT_TRUE(way.wait_triggered());
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::unreachable);
  EXPECT_EQ(server.number({"EXISTS", "a", "b"}), 2) << "the server did it";
  way.pass();
  EXPECT_TRUE(all_free()) << "long before the ttl";
}

TEST_F(multi_lock_faults, a_lost_answer_to_a_release_frees_all_the_same) {
  auto held = acquire_all(through, {"a", "b"});
  way.when(std::string{scripts::release.sha1}, fault::cut(), moment::executed);
  EXPECT_NE(held.release(), release_outcome::was_lost);
  EXPECT_TRUE(way.wait_triggered());
  EXPECT_TRUE(all_free());
}

TEST_F(multi_lock_faults, a_dropped_grant_is_found_by_the_timer) {
  auto held = direct.acquire("b");
  auto waiter = std::async(std::launch::async, [&] { return acquire_all(through, {"a", "b"}, {.wait = 20s}); });
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{b}:waiters"}) == 1; }));
  way.when_reply("holdfast:inbox:", fault::drop_reply(1));
  held.release();
  auto all = waiter.get();
  EXPECT_TRUE(all);
  EXPECT_EQ(way.triggered(), 1u);
  all.release();
  EXPECT_TRUE(all_free());
}

TEST_F(multi_lock_faults, a_cut_off_holder_is_told_in_time) {
  auto held = acquire_all(through, {"a", "b"}, {.ttl = 600ms, .stop_margin = 150ms});
  const auto token = held.lost();
  way.set(fault::black_hole(direction::both));
  bystander next{server, "b"};
  ASSERT_TRUE(eventually(10s, [&] { return token.stop_requested(); }));
  const auto told = boottime_ns();
  ASSERT_TRUE(next.gets_it_within(10s));
  EXPECT_GE(*next.got() + std::chrono::nanoseconds{100ms}.count(), told);
  EXPECT_EQ(held.state(), lease_state::LOST);
  way.pass();
  next.leave();
}

TEST(multi_lock_crashes, the_holder_dies_and_then_the_waiter) {
  redis_server server;
  const auto hold = [&](std::vector<std::string> names) {
    return [&server, names] {
      client redis{quiet(server.url())};
      std::string line;
      std::getline(std::cin, line);
      auto held = acquire_all(redis, names, {.ttl = 1s});
      std::cout << "got" << std::endl;
      std::this_thread::sleep_for(60s);
      return 0;
    };
  };
  auto holder = fork_child(hold({"a", "b"}));
  auto waiter = fork_child(hold({"a", "b", "c"}));
  holder.write("go\n");
  ASSERT_EQ(holder.read_line(10s), "got");
  waiter.write("go\n");
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{a}:waiters"}) == 1; }));
  client redis{quiet(server.url())};
  auto third = std::async(std::launch::async, [&] { return acquire_all(redis, {"c", "b"}, {.wait = 20s}); });
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{b}:waiters"}) == 1; }));
  waiter.kill();
  holder.kill();
  auto held = third.get();
  EXPECT_TRUE(held);
  EXPECT_TRUE(acquire_all(redis, {"a"}, {.wait = 20s})) << "a dead waiter is passed over";
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(eventually(20s, [&] { return server.number({"EXISTS", "a", "b", "c", "{a}:waiters"}) == 0; }));
}

}  // namespace
}  // namespace holdfast::test
