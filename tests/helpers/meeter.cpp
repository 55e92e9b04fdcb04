// A process at a latch or a barrier: what tests kill.
//
//   meeter URL latch|barrier NAME EXPECTED wait|arrive
//
//   out  ready         the connection is up
//        arrived       after its arrival, with `arrive`
//        done          the wait is over; failed CODE otherwise
//   With `arrive` it does not wait, and stays until its input ends.
#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

holdfast::result<void> meet(holdfast::client& redis, const std::string& kind, const char* name, long long expected,
                            bool waits) {
  if (kind == "latch") {
    holdfast::latch met{redis, name, expected};
    return waits ? met.wait(std::nothrow) : met.count_down(std::nothrow);
  }
  holdfast::barrier met{redis, name, expected};
  if (waits) return met.arrive_and_wait(std::nothrow);
  const auto arrived = met.arrive(std::nothrow);
  return arrived ? holdfast::result<void>{} : holdfast::result<void>{arrived.failure()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  try {
    auto where = holdfast::settings::from_url(argv[1]).value();
    where.on_warning = [](const holdfast::warning&) {};
    holdfast::client redis{where};
    static_cast<void>(redis.ping().value());
    std::cout << "ready" << std::endl;
    const bool waits = std::string{argv[5]} == "wait";
    const auto met = meet(redis, argv[2], argv[3], std::stoll(argv[4]), waits);
    if (!met) {
      std::cout << "failed " << holdfast::to_string(met.code()) << std::endl;
      return 1;
    }
    std::cout << (waits ? "done" : "arrived") << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "meeter: %s\n", problem.what());
    return 3;
  }
}
