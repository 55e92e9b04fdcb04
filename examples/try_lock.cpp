// Not waiting, or waiting only so long; and asking who is in the way.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  holdfast::lease mine = redis.acquire("nightly-report");

  // A second taker that does not wait at all: `held` is a value, not an exception.
  const auto at_once = redis.try_acquire("nightly-report");
  if (at_once || at_once.code() != holdfast::errc::held) return 1;
  std::cout << "not now: " << at_once.failure().detail << "\n";

  // One that waits for a tenth of a second; false only ever means "held by somebody else".
  holdfast::mutex report{redis, "nightly-report"};
  if (report.try_lock_for(100ms)) return 1;
  std::cout << "not within 100 ms either\n";

  if (mine.release() != holdfast::release_outcome::released) return 1;
  if (!report.try_lock()) return 1;
  std::cout << "and now it is ours\n";
  report.unlock();
}
