// A process that takes one lock and tells how it goes: what tests kill and stop.
//
//   locker URL NAME TTL_MS WAIT_MS     (WAIT_MS 0: no limit)
//
//   out  asking            the connection is up, the acquire follows
//        got FENCE TIME    TIME: boottime_ns() when acquire returned
//        failed CODE       and ends with 1
//   in   a line            releases: `released`, `was_lost` or `unknown`, then TIME from before the release
//        end of input      the process ends
#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <iostream>
#include <string>

#include "support/boottime.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  try {
    auto where = holdfast::settings::from_url(argv[1]).value();
    where.on_warning = [](const holdfast::warning&) {};
    holdfast::client redis{where};
    static_cast<void>(redis.ping().value());
    holdfast::options how{.ttl = std::chrono::milliseconds{std::stoll(argv[3])}};
    if (const long long wait = std::stoll(argv[4]); wait > 0) how.wait = std::chrono::milliseconds{wait};
    std::cout << "asking" << std::endl;
    auto lease = redis.acquire(std::nothrow, argv[2], how);
    const auto got = holdfast::test::boottime_ns();
    if (!lease) {
      std::cout << "failed " << holdfast::to_string(lease.code()) << std::endl;
      return 1;
    }
    std::cout << "got " << lease->fence() << " " << got << std::endl;
    std::string line;
    if (!std::getline(std::cin, line)) return 0;
    const auto before = holdfast::test::boottime_ns();
    std::cout << holdfast::to_string(lease->release()) << " " << before << std::endl;
    while (std::getline(std::cin, line)) {
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "locker: %s\n", problem.what());
    return 3;
  }
}
