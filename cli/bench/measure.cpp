#include "bench/measure.hpp"

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace holdfast::cli {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

const options quick{.ttl = bench_ttl, .wait = milliseconds{5000}};

// Repeats until the time or the operations are used up. `operation` returns its own duration.
template <class Operation>
std::vector<nanoseconds> repeat(clock::time_point end, std::size_t most, Operation operation) {
  std::vector<nanoseconds> samples;
  while (samples.size() < most && clock::now() < end) samples.push_back(operation());
  return samples;
}

nanoseconds one_pair(client& redis, const std::string& name) {
  const auto start = clock::now();
  lease held = redis.acquire(name, quick);
  static_cast<void>(held.release());
  return clock::now() - start;
}

// Runs all at once, each in a thread of its own; the first exception of any is thrown here.
void run_together(const std::vector<std::function<void()>>& bodies) {
  std::vector<std::exception_ptr> failures(bodies.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    threads.emplace_back([&bodies, &failures, i] {
      try {
        bodies[i]();
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  threads.clear();
  for (const std::exception_ptr& each : failures) {
    if (each) std::rethrow_exception(each);
  }
}

measurement joined(std::string_view name, std::string_view title, const std::vector<std::vector<nanoseconds>>& parts,
                   clock::time_point start) {
  measurement made{name, title, {}, clock::now() - start, static_cast<int>(parts.size())};
  for (const auto& each : parts) made.samples.insert(made.samples.end(), each.begin(), each.end());
  return made;
}

}  // namespace

measurement measure_ping(client& redis, milliseconds length) {
  static_cast<void>(redis.ping().value());  // connects
  const auto start = clock::now();
  auto samples = repeat(start + length, most_operations, [&redis] { return redis.ping().value(); });
  return {"ping", "PING", std::move(samples), clock::now() - start, 1};
}

measurement measure_pair(client& redis, const std::string& name, milliseconds length) {
  one_pair(redis, name);  // loads the scripts
  const auto start = clock::now();
  auto samples = repeat(start + length, most_operations, [&] { return one_pair(redis, name); });
  return {"lock_unlock", "lock and unlock", std::move(samples), clock::now() - start, 1};
}

measurement measure_handoff(client& one, client& other, const std::string& name, std::chrono::microseconds hold,
                            milliseconds length) {
  one_pair(other, name);
  std::atomic<clock::time_point> released{};
  std::array<std::vector<nanoseconds>, 2> parts;
  const auto start = clock::now();
  const auto take_turns = [&](client& redis, std::vector<nanoseconds>& samples) {
    while (samples.size() < most_operations / 2 && clock::now() < start + length) {
      const auto received = redis.stats().handoffs_received;
      lease held = redis.acquire(name, quick);
      const auto got = clock::now();
      // Only what came through the queue is a hand-off; the very first lock, for one, was free.
      if (redis.stats().handoffs_received > received) samples.push_back(got - released.load());
      std::this_thread::sleep_for(hold);
      released = clock::now();
      static_cast<void>(held.release());
    }
  };
  run_together({[&] { take_turns(one, parts[0]); }, [&] { take_turns(other, parts[1]); }});
  measurement made = joined("handoff", "hand-off to a waiter", {parts[0], parts[1]}, start);
  made.callers = 1;  // its cost is its latency: the lock is with one of the two at a time
  return made;
}

measurement measure_many(client& redis, const std::string& name, milliseconds length) {
  std::vector<std::vector<nanoseconds>> parts(many_callers);
  std::vector<std::function<void()>> bodies;
  const auto start = clock::now();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bodies.emplace_back([&, i] {
      const std::string own = name + std::to_string(i);
      parts[i] = repeat(start + length, most_operations / many_callers, [&] { return one_pair(redis, own); });
    });
  }
  run_together(bodies);
  return joined("many", "lock, unlock by 16 threads", parts, start);
}

}  // namespace holdfast::cli
