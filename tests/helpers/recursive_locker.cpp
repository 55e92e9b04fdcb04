// A process that enters one recursive lock twice and tells how it goes: what tests kill.
//
//   recursive_locker URL NAME TTL_MS
//
//   out  asking        the connection is up, lock() follows
//        got FENCE     inside, two deep
//   in   a line        unlocks once: `depth 1`; and another: the outcome of the release
//        end of input  the process ends
#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    auto where = holdfast::settings::from_url(argv[1]).value();
    where.on_warning = [](const holdfast::warning&) {};
    holdfast::client redis{where};
    static_cast<void>(redis.ping().value());
    holdfast::recursive_mutex door{redis, argv[2], {.ttl = std::chrono::milliseconds{std::stoll(argv[3])}}};
    std::cout << "asking" << std::endl;
    door.lock();
    door.lock();
    std::cout << "got " << door.fence() << std::endl;
    std::string line;
    if (!std::getline(std::cin, line)) return 0;
    door.unlock();
    std::cout << "depth " << door.depth() << std::endl;
    if (!std::getline(std::cin, line)) return 0;
    std::cout << holdfast::to_string(door.release()) << std::endl;
    while (std::getline(std::cin, line)) {
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "recursive_locker: %s\n", problem.what());
    return 3;
  }
}
