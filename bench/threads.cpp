// threads: 64 threads, each on a lock of its own, through one client and its one connection; the floor is 64 threads with
// a hiredis connection each.
#include "recording.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>

#include <atomic>
#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

constexpr unsigned count = 64;
constexpr auto length = 400ms;

// All threads start together and do `once(index)` until the time is over; how often per second, all of them together.
double race(const std::function<void(unsigned)>& once) {
  std::barrier start{count + 1};
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> total{0};
  std::mutex guard;
  std::exception_ptr problem;
  std::vector<std::thread> all;
  for (unsigned index = 0; index < count; ++index) {
    all.emplace_back([&, index] {
      std::uint64_t done = 0;
      start.arrive_and_wait();
      try {
        for (; !over.load(std::memory_order_relaxed); ++done) once(index);
      } catch (...) {
        const std::lock_guard lock{guard};
        problem = std::current_exception();
      }
      total += done;
    });
  }
  start.arrive_and_wait();
  const auto begin = clock::now();
  std::this_thread::sleep_for(length);
  over = true;
  for (auto& each : all) each.join();
  const std::chrono::duration<double> took = clock::now() - begin;
  if (problem) std::rethrow_exception(problem);
  return static_cast<double>(total.load()) / took.count();
}

}  // namespace

report threads(const run_options& how) {
  const server redis{how.url};
  client connected{quiet_settings(redis.url())};
  std::vector<std::unique_ptr<floor_connection>> raw;
  std::vector<std::string> names;
  std::vector<std::unique_ptr<mutex>> locks;
  for (unsigned index = 0; index < count; ++index) {
    raw.push_back(std::make_unique<floor_connection>(redis.url()));
    names.push_back("bench:threads:floor:" + std::to_string(index));
    locks.push_back(std::make_unique<mutex>(connected, "bench:threads:ours_:" + std::to_string(index)));
  }
  const auto raw_locks = record(redis.url(), names);

  const rounds all = interleave(
      how.rounds.value_or(15), [&] { return race([&](unsigned index) { raw[index]->pair(*raw_locks[index]); }); },
      [&] {
        return race([&](unsigned index) {
          locks[index]->lock();
          locks[index]->unlock();
        });
      });

  report out{"threads", "64 threads on 64 locks, throughput of one client against 64 hiredis connections",
             sense::at_least};
  const auto ratios = all.ours_to_floor();
  out.judge("ratio", median(ratios), 1.2);
  add_figures(out, all, ratios, "floor", "ours");
  return out;
}

}  // namespace holdfast::bench
