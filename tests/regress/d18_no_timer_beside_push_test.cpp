// D18 (rueidislock): no timer beside the push, so waiters behind a crashed holder hung; and every renewal woke every
// waiter.
#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <future>
#include <thread>
#include <vector>

#include "regress/ground.hpp"
#include "support/process.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D18_WaitersBehindACrashedHolderGoOn) {
  redis_server server;
  load_scripts(server);
  auto holder = test::fork_child([url = server.url()]() -> int {
    client redis{quiet(url)};
    const lease held = redis.acquire("d18", {.ttl = 1s});
    static_cast<void>(!::write(STDOUT_FILENO, "got\n", 4));
    for (;;) ::pause();
  });
  ASSERT_EQ(holder.read_line(patience), "got");
  client redis{quiet(server.url())};
  std::vector<std::future<steady_clock::time_point>> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.push_back(std::async(std::launch::async, [&] {
      lease got = redis.acquire("d18", {.ttl = 1s, .wait = 20s});
      const auto when = steady_clock::now();
      EXPECT_EQ(got.release(), release_outcome::released);
      return when;
    }));
  }
  ASSERT_TRUE(queue_has(server, "d18", 3));
  const auto crash = steady_clock::now();
  holder.kill();
  auto first = steady_clock::time_point::max();
  for (auto& each : waiters) first = std::min(first, each.get());
  EXPECT_LE(first - crash, 1s + 200ms) << "ttl + 200 ms";
}

TEST(Regress, D18_RenewalsDoNotWakeWaiters) {
  redis_server server;
  load_scripts(server);
  client owner{quiet(server.url())};
  client others{quiet(server.url())};
  ASSERT_TRUE(others.ping());
  lease held = owner.acquire("d18", {.ttl = 30s});
  std::stop_source stop;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back([&] {
      const auto got = others.acquire(std::nothrow, "d18", {.ttl = 30s, .stop = stop.get_token()});
      EXPECT_FALSE(got);
    });
  }
  ASSERT_TRUE(queue_has(server, "d18", 4));
  const auto before = scripts_run(server);
  const auto start = steady_clock::now();
  for (int i = 0; i < 200; ++i) {
    held.extend(30s);
    std::this_thread::sleep_for(10ms);
  }
  const auto took = std::chrono::duration<double>(steady_clock::now() - start).count();
  const auto by_waiters = scripts_run(server) - before - 200;
  // Each waiter beats every 0.9 to 1 s; woken by renewals they would have run 800 scripts.
  EXPECT_LE(by_waiters, static_cast<long long>(4 * (took / 0.9 + 1)));
  EXPECT_GE(by_waiters, 4) << "and they do look by themselves";
  stop.request_stop();
}

}  // namespace
}  // namespace holdfast::regress
