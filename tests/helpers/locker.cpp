// A process that takes one lock and tells how it goes: what tests kill and stop.
//
//   locker URL NAME TTL_MS WAIT_MS     (WAIT_MS 0: no limit)
//
//   out  asking            the connection is up, the acquire follows
//        got FENCE TIME    TIME: boottime_ns() when acquire returned
//        failed CODE       and ends with 1
//   in   a line            releases: `released`, `was_lost` or `unknown`, then TIME from before the release
//        end of input      the process ends
#include "helpers/child.hpp"
#include "support/boottime.hpp"

int main(int argc, char** argv) {
  using namespace holdfast::test;
  return run_child(argc, argv, 4, [&] {
    holdfast::client redis = connected(argv[1]);
    const holdfast::options how = limits(argv[3], argv[4]);
    std::cout << "asking" << std::endl;
    auto lease = redis.acquire(std::nothrow, argv[2], how);
    const auto got = boottime_ns();
    if (!lease) return failed(lease.code());
    std::cout << "got " << lease->fence() << " " << got << std::endl;
    if (!next_line()) return 0;
    const auto before = boottime_ns();
    std::cout << holdfast::to_string(lease->release()) << " " << before << std::endl;
    until_input_ends();
    return 0;
  });
}
