// The cache through the gate, and with processes that die: whatever is lost on the way, a caller gets its value, the lock
// is given back, and nobody waits for longer than the timers say.
#include <gtest/gtest.h>
#include <holdfast/cache.hpp>

#include <atomic>
#include <future>
#include <iostream>
#include <thread>

#include "chaos/bystander.hpp"
#include "chaos/two_ways.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

const std::string lock_key = "cache:k";

struct cache_faults : two_ways {
  cache<int> far{through};
  cache<int> near{direct};

  cache_faults() {
    // The scripts are known to the server and the link is up before the fault.
    near.get_or_load("warm", 1s, [] { return 0; });
    far.get_or_load("warmer", 1s, [] { return 0; });
  }

  // A loader inside, until it is told to go on.
  struct slow_loader {
    std::atomic<bool> inside{false};
    std::atomic<bool> go{false};
    int operator()(int value) {
      inside = true;
      while (!go) std::this_thread::sleep_for(1ms);
      return value;
    }
  };

  void expect_all_is_well(int value) {
    way.disarm();
    way.pass();
    EXPECT_EQ(near.get("k").value(), std::optional<std::optional<int>>{value});
    EXPECT_TRUE(eventually(10s, [&] { return server.number({"EXISTS", lock_key, "{cache:k}:waiters"}) == 0; }));
    EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  }
};

TEST_F(cache_faults, the_answer_to_storing_is_lost) {
  way.when(std::string{scripts::cache_store.sha1}, fault::cut(), moment::executed);
  EXPECT_EQ(far.get_or_load("k", 60s, [] { return 1; }), 1) << "the caller has what it loaded";
  EXPECT_TRUE(way.wait_triggered());
  expect_all_is_well(1);
}

TEST_F(cache_faults, the_link_breaks_before_storing) {
  way.when(std::string{scripts::cache_store.sha1}, fault::cut(), moment::before);
  EXPECT_EQ(far.get_or_load("k", 60s, [] { return 1; }), 1);
  EXPECT_TRUE(way.wait_triggered());
  // It did not arrive, or was sent again: either way the lock is free and the next call has a value.
  EXPECT_TRUE(near.get_or_load("k", 60s, [] { return 1; }));
  expect_all_is_well(1);
}

TEST_F(cache_faults, the_answer_to_reading_is_lost) {
  way.when("\r\nGET\r\n", fault::cut(), moment::executed);
  EXPECT_EQ(far.get_or_load("k", 60s, [] { return 1; }), 1);
  EXPECT_TRUE(way.wait_triggered());
  expect_all_is_well(1);
}

TEST_F(cache_faults, the_answer_to_taking_the_lock_is_lost) {
  int loads = 0;
  way.when(std::string{scripts::acquire.sha1}, fault::cut(), moment::executed);
  EXPECT_EQ(far.get_or_load("k", 60s, [&] { return ++loads; }), 1) << "not locked out of its own lock";
  EXPECT_EQ(loads, 1);
  expect_all_is_well(1);
}

TEST_F(cache_faults, a_lost_dismissal_costs_a_heartbeat_and_not_a_load) {
  slow_loader slow;
  auto loader = std::async(std::launch::async, [&] { return near.get_or_load("k", 60s, [&] { return slow(1); }); });
  ASSERT_TRUE(eventually(10s, [&] { return slow.inside.load(); }));
  auto waiter = std::async(std::launch::async, [&] { return far.get_or_load("k", 60s, [] { return 2; }); });
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{cache:k}:waiters"}) == 1; }));
  way.when_reply("dismissed ", fault::drop_reply(1));
  slow.go = true;
  EXPECT_EQ(loader.get(), 1);
  EXPECT_TRUE(way.wait_triggered());
  ASSERT_EQ(waiter.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(waiter.get(), 1);
  expect_all_is_well(1);
}

TEST_F(cache_faults, a_cut_while_waiting_is_survived) {
  slow_loader slow;
  auto loader = std::async(std::launch::async, [&] { return near.get_or_load("k", 60s, [&] { return slow(1); }); });
  ASSERT_TRUE(eventually(10s, [&] { return slow.inside.load(); }));
  auto waiter = std::async(std::launch::async, [&] { return far.get_or_load("k", 60s, [] { return 2; }); });
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{cache:k}:waiters"}) == 1; }));
  way.cut();
  slow.go = true;
  EXPECT_EQ(loader.get(), 1);
  EXPECT_EQ(waiter.get(), 1);
  expect_all_is_well(1);
}

TEST(cache_crashes, the_loader_dies_and_a_waiter_loads) {
  redis_server server;
  auto dying = fork_child([&] {
    client redis{quiet(server.url())};
    cache<int>{redis, {.load_ttl = 1s}}.get_or_load("k", 60s, [] {
      std::cout << "loading" << std::endl;
      std::this_thread::sleep_for(60s);
      return 1;
    });
    return 0;
  });
  ASSERT_EQ(dying.read_line(10s), "loading");
  client redis{quiet(server.url())};
  cache<int> values{redis, {.wait = 20s, .load_ttl = 1s}};
  auto waiter = std::async(std::launch::async, [&] { return values.get_or_load("k", 60s, [] { return 2; }); });
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{cache:k}:waiters"}) == 1; }));
  dying.kill();
  EXPECT_EQ(waiter.get(), 2);
  EXPECT_EQ(server.number({"EXISTS", lock_key, "{cache:k}:waiters"}), 0);
}

TEST(cache_crashes, a_waiter_dies_and_nobody_minds) {
  redis_server server;
  auto go = fork_child([&] {
    client redis{quiet(server.url())};
    std::string line;
    std::getline(std::cin, line);
    cache<int>{redis}.get_or_load("k", 60s, [] { return 2; });
    return 0;
  });
  client redis{quiet(server.url())};
  cache<int> values{redis};
  EXPECT_EQ(values.get_or_load(
                "k", 60s,
                [&] {
                  go.write("wait\n");
                  EXPECT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{cache:k}:waiters"}) == 1; }));
                  go.kill();
                  EXPECT_TRUE(go.wait(10s));
                  return 1;
                }),
            1);
  EXPECT_EQ(server.number({"EXISTS", lock_key, "{cache:k}:waiters"}), 0);
  EXPECT_EQ(values.get("k").value(), std::optional<std::optional<int>>{1});
}

}  // namespace
}  // namespace holdfast::test
