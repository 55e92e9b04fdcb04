// D25 (python-redis-lock, redis-py): a lock without ttl was the default, and a poller with a fixed sleep starved: 0 to
// 254 acquisitions across equal clients.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "regress/ground.hpp"
#include "support/boottime.hpp"
#include "support/process.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D25_ALockAlwaysHasATtl) {
  redis_server server;
  client redis{quiet(server.url())};
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  std::vector<std::jthread> users;
  for (int i = 0; i < 4; ++i) {
    users.emplace_back([&, i] {
      for (; !stop; ++rounds) {
        lease held = redis.acquire("d25", i % 2 == 0 ? options{} : options{.ttl = 400ms, .fence = false});
        if (i == 2) held.extend(5s);
        if (i == 3) std::this_thread::sleep_for(3ms);
      }
    });
  }
  // Every state that the lock, its queue and its counter go through, looked at from outside.
  const auto end = steady_clock::now() + 2s;
  int seen = 0;
  while (steady_clock::now() < end) {
    EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
    const auto left = server.number({"PTTL", "d25"});
    EXPECT_TRUE(left >= 0 || left == -2) << left;
    seen += left > 0 ? 1 : 0;
  }
  stop = true;
  users.clear();
  EXPECT_GT(seen, 0);
  EXPECT_GT(rounds, 100);
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
}

TEST(Regress, D25_EqualClientsShareEqually) {
  redis_server server;
  load_scripts(server);
  constexpr std::size_t clients = 4;
  std::vector<test::process> children;
  for (std::size_t i = 0; i < clients; ++i) {
    children.push_back(test::fork_child([url = server.url()] {
      client redis{quiet(url)};
      mutex lock{redis, "d25"};
      lock.lock();  // everything is set up after this
      lock.unlock();
      static_cast<void>(!::write(STDOUT_FILENO, "ready\n", 6));
      char go = 0;
      if (::read(STDIN_FILENO, &go, 1) != 1) return 1;
      const auto end = test::boottime_ns() + 3'000'000'000;
      int count = 0;
      while (test::boottime_ns() < end) {
        lock.lock();
        std::this_thread::sleep_for(1ms);  // the work under the lock
        lock.unlock();
        ++count;
      }
      const std::string line = std::to_string(count) + "\n";
      return ::write(STDOUT_FILENO, line.data(), line.size()) > 0 ? 0 : 1;
    }));
  }
  for (auto& each : children) ASSERT_EQ(each.read_line(patience), "ready");
  for (auto& each : children) ASSERT_TRUE(each.write("!"));
  std::vector<int> counts;
  for (auto& each : children) {
    const auto line = each.read_line(20s);
    ASSERT_TRUE(line);
    counts.push_back(std::stoi(*line));
  }
  const auto [least, most] = std::ranges::minmax(counts);
  EXPECT_GT(least, 50);
  EXPECT_LE(most, least * 1.2) << testing::PrintToString(counts);
}

}  // namespace
}  // namespace holdfast::regress
