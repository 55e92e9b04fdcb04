// Mutual exclusion, the sum of it all: processes x threads bump a number non-atomically under a lock. The sum is exact, no two
// holds overlap, fences increase.
//
// Thread safety: call it before the test starts threads, it forks.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/boottime.hpp"
#include "support/history.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

struct crowd {
  int processes;
  int threads;
  int rounds;
};

// One process's part. `take(t)` gives thread t the lock.
template <class Take>
int bump(const redis_server& server, const std::string& log, const crowd& of, Take& take) {
  std::vector<std::thread> workers;
  for (int t = 0; t < of.threads; ++t) {
    workers.emplace_back([&, t] {
      history past{log};
      auto raw = server.connect();
      const auto me = static_cast<std::uint64_t>(::getpid()) * 1000 + static_cast<std::uint64_t>(t);
      for (int i = 0; i < of.rounds; ++i) {
        lease held = take(t);
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

// `Taker`: what each process makes for itself, from the server, and takes the lock with.
template <class Taker>
void expect_nothing_lost(redis_server& server, const crowd& of) {
  const temp_dir dir;
  server.text({"SET", "number", "0"});
  std::vector<process> children;
  for (int p = 0; p < of.processes; ++p) {
    children.push_back(fork_child([&] {
      Taker take{server};
      return bump(server, dir.file("history"), of, take);
    }));
  }
  for (auto& child : children) EXPECT_EQ(child.wait(60s), (exit_status{0, 0}));
  const int all = of.processes * of.threads * of.rounds;
  EXPECT_EQ(server.number({"GET", "number"}), all);
  const auto past = history{dir.file("history")}.read();
  EXPECT_EQ(past.size(), static_cast<std::size_t>(all));
  EXPECT_EQ(find_violation(past), std::nullopt) << "no overlap, fences increase";
}

}  // namespace holdfast::test
