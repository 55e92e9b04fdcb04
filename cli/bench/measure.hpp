// The measurements themselves, one round of each: for its time at most, and for `most_operations` operations at most.
//
// All of them throw holdfast::error when Redis does not answer.
#pragma once

#include "bench/figures.hpp"

#include <holdfast/client.hpp>

#include <chrono>
#include <string>

namespace holdfast::cli {

inline constexpr std::size_t most_operations = 5'000;
inline constexpr int bench_rounds = 10;
inline constexpr int many_callers = 16;
inline constexpr std::chrono::milliseconds bench_ttl{10'000};

[[nodiscard]] measurement measure_ping(client& redis, std::chrono::milliseconds length);

// One caller takes and releases a lock that nobody else wants.
[[nodiscard]] measurement measure_pair(client& redis, const std::string& name, std::chrono::milliseconds length);

// Two clients take turns through one lock: from the release call of one to the return of the other's acquire. Each
// holds for `hold`, in which the other gets into the queue.
[[nodiscard]] measurement measure_handoff(client& one, client& other, const std::string& name,
                                          std::chrono::microseconds hold, std::chrono::milliseconds length);

// `many_callers` threads on one client, each with a lock of its own.
[[nodiscard]] measurement measure_many(client& redis, const std::string& name, std::chrono::milliseconds length);

}  // namespace holdfast::cli
