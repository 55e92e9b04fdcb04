// Waits for a condition instead of sleeping for a guessed time.
//
// The limit is what a broken program costs, not what a good one takes: choose it generously. The condition is asked at
// least once, and once more after the limit, so a slow machine cannot turn a true condition into a failure.
// Thread safety: that of the predicate.
#pragma once

#include <chrono>
#include <thread>

namespace holdfast::test {

template <typename Predicate>
[[nodiscard]] bool eventually(std::chrono::milliseconds limit, Predicate&& predicate) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const bool last = std::chrono::steady_clock::now() >= end;
    if (predicate()) return true;
    if (last) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

}  // namespace holdfast::test
