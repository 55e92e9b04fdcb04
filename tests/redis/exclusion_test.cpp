// Mutual exclusion, the sum of it all: processes x threads bump a number non-atomically under the lock. The sum is exact,
// no two holds overlap, fences increase.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/boottime.hpp"
#include "support/history.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

constexpr int processes = 6;
constexpr int threads = 4;

// One process's part. Threads take turns over the forms of locking: mutex, queued and polled leases, tries.
int bump(const redis_server& server, const std::string& log, int rounds) {
  client redis{at(server)};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      history past{log};
      auto raw = server.connect();
      const auto me = static_cast<std::uint64_t>(::getpid()) * 1000 + static_cast<std::uint64_t>(t);
      for (int i = 0; i < rounds; ++i) {
        lease held;
        if (t == 0) {
          while (!held) {
            if (auto tried = redis.try_acquire("door")) held = std::move(*tried);
            std::this_thread::sleep_for(1ms);
          }
        } else {
          held = redis.acquire("door", {.queue = t != 1});
        }
        const auto start = boottime_ns();
        const long long seen = raw.number({"GET", "number"});
        raw.text({"SET", "number", std::to_string(seen + 1)});
        past.append({me, held.fence(), start, boottime_ns()});
        if (held.release() != release_outcome::released) std::abort();
      }
    });
  }
  for (auto& each : workers) each.join();
  return 0;
}

TEST(exclusion, processes_and_threads_bump_a_number_and_lose_nothing) {
  constexpr int rounds = 12;
  redis_server server;
  const temp_dir dir;
  server.text({"SET", "number", "0"});
  std::vector<process> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(fork_child([&] { return bump(server, dir.file("history"), rounds); }));
  }
  for (auto& child : children) EXPECT_EQ(child.wait(60s), (exit_status{0, 0}));
  EXPECT_EQ(server.number({"GET", "number"}), processes * threads * rounds);
  const auto past = history{dir.file("history")}.read();
  EXPECT_EQ(past.size(), static_cast<std::size_t>(processes * threads * rounds));
  EXPECT_EQ(find_violation(past), std::nullopt);
  EXPECT_EQ(server.number({"EXISTS", "door", waiters_of("door"), "{door}:seen"}), 0);
}

}  // namespace
}  // namespace holdfast::test
