// One million acquire/release cycles: the server's keys and this process's memory return to where they were.
//
// Eight threads share one client, each on a few names of its own, half through leases and half at call level. The first
// cycles warm up (buffers, allocator arenas, fence counters); what is compared comes after.
#include <fstream>

#include "chaos/bystander.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int threads = 8;
constexpr int names = 4;  // per thread

long resident_kib() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  ADD_FAILURE() << "no VmRSS in /proc/self/status";
  return 0;
}

// Returns how many cycles failed.
long long run_cycles(client& redis, long long total) {
  std::atomic<long long> failed{0};
  std::vector<std::jthread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      const std::string owner = "soak-" + std::to_string(t);
      for (long long i = 0; i < total / threads; ++i) {
        const std::string name = "soak:" + std::to_string(t) + ":" + std::to_string(i % names);
        if (i % 2 == 0) {
          auto held = redis.try_acquire(name, {.ttl = 30s});
          if (!held || held->release() != release_outcome::released) ++failed;
        } else {
          if (!redis.try_acquire(name, owner, 30s) || !redis.release(name, owner)) ++failed;
        }
      }
    });
  }
  workers.clear();  // joins
  return failed;
}

TEST(Soak, million_cycles_leave_nothing_behind) {
  redis_server server;
  auto where = quick(server.url());
  where.command_timeout = 5s;  // this test is about leaks; a busy machine may pause
  client redis{where};
  ASSERT_EQ(run_cycles(redis, 50'000), 0);
  const auto keys = server.keys();
  const auto before = resident_kib();
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
  EXPECT_LE(keys.size(), static_cast<std::size_t>(threads * names));

  EXPECT_EQ(run_cycles(redis, 1'000'000), 0);
  EXPECT_EQ(server.keys(), keys);
  EXPECT_EQ(server.number({"DBSIZE"}), static_cast<long long>(keys.size()));
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  EXPECT_LE(resident_kib() - before, 4096);
  EXPECT_EQ(redis.stats().held_now, 0u);
}

}  // namespace
}  // namespace holdfast::test
