// D8 (redis-plus-plus): an uncontended lock() took 2.2 ms, of which 2 ms were a sleep before the first attempt.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

TEST(Regress, D8_AnUncontendedLockDoesNotSleep) {
  redis_server server;
  client redis{quiet(server.url())};
  mutex lock{redis, "d8"};
  std::vector<std::chrono::nanoseconds> pings;
  std::vector<std::chrono::nanoseconds> pairs;
  const auto timed = [](auto&& what) {
    const auto start = steady_clock::now();
    what();
    return std::chrono::nanoseconds{steady_clock::now() - start};
  };
  for (int i = 0; i < 210; ++i) {
    const auto ping = timed([&] { ASSERT_TRUE(redis.ping()); });
    const auto pair = timed([&] {
      lock.lock();
      lock.unlock();
    });
    if (i < 10) continue;  // connecting, loading scripts
    pings.push_back(ping);
    pairs.push_back(pair);
  }
  const auto median = [](std::vector<std::chrono::nanoseconds>& of) {
    std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
    return of[of.size() / 2];
  };
  // Two round trips and two scripts; a sleep of 2 ms would be 40 PINGs on loopback.
  EXPECT_LT(median(pairs), 20 * median(pings));
}

}  // namespace
}  // namespace holdfast::regress
