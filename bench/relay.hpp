// Processes that pass one lock around: each takes it, gives it back at once and queues again.
//
// A hand-off is timed from just before unlock() in the one process to just after lock() returned in the next, on
// CLOCK_MONOTONIC, which is the same for both.
// The floor does the same with raw hiredis and the library's scripts, one blocking read per wait: what the kernel, the
// server and the scripts take by themselves.
// Forks: the calling process must not have threads.
#pragma once

#include "crew.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::bench {

struct relay_result {
  std::vector<double> handoffs;      // µs, of every change of the holder
  std::vector<std::uint64_t> turns;  // acquisitions of each process
  std::uint64_t taken = 0;           // all of them together
  std::uint64_t through_queue = 0;   // those that a release gave to a waiter; the floor does not count them
  std::uint64_t commands = 0;        // what the server received from all of them meanwhile
  double server = 0;                 // seconds that the server spent on these commands
  double processor = 0;              // seconds of processor time of all of them together
};

// Ours: the mutex, the recursive_mutex, the writer of a shared_mutex, the only permit of a semaphore.
enum class runner : unsigned char { ours, recursive, writer, permit, floor };

relay_result relay(runner who, const std::string& url, unsigned processes, std::chrono::milliseconds length);

}  // namespace holdfast::bench
