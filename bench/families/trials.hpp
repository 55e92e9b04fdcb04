// What is done to every family, by processes that are started for it (crew.hpp); the family's servers are up.
// Throws std::runtime_error when a process of it did not get through. The calling process must not have threads.
#pragma once

#include "families/family.hpp"

#include <chrono>
#include <vector>

namespace holdfast::bench {

// One process locks and unlocks a lock that nobody else wants: µs of each pair, after some to warm up.
std::vector<double> pair_times(family& of, std::chrono::milliseconds length);

// Processes that lock, unlock and queue again: µs from a release to the next process's lock, after some to warm up.
std::vector<double> handoff_times(family& of, unsigned processes, std::chrono::milliseconds length);

// How a holder goes.
enum class fate : unsigned char {
  killed,  // kill -9: its connection is closed by the kernel
  frozen,  // SIGSTOP: its connection stays, as after a pause, or for a while after a loss of power or of the network
};
inline constexpr std::chrono::seconds succession_limit{4 * lifetime};

// Seconds from then until a waiter has the lock, one for each of several locks; infinite: not within the limit.
std::vector<double> succession_times(family& of, fate how);

// So long the others are watched after a node was killed.
inline constexpr std::chrono::seconds outage_limit{3 * lifetime};

struct outage {
  double seconds = 0;     // the longest time without an acquisition, from the kill on; infinite: none came any more
  unsigned overlaps = 0;  // acquisitions while another process was inside
};

// Three processes hand a lock around while the node that leads is killed.
outage node_killed(family& of);

// What the disk of the families takes to keep one small write: µs.
std::vector<double> fsync_times();

}  // namespace holdfast::bench
