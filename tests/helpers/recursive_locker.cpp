// A process that enters one recursive lock twice and tells how it goes: what tests kill.
//
//   recursive_locker URL NAME TTL_MS
//
//   out  asking        the connection is up, lock() follows
//        got FENCE     inside, two deep
//   in   a line        unlocks once: `depth 1`; and another: the outcome of the release
//        end of input  the process ends
#include "helpers/child.hpp"

int main(int argc, char** argv) {
  using namespace holdfast::test;
  return run_child(argc, argv, 3, [&] {
    holdfast::client redis = connected(argv[1]);
    holdfast::recursive_mutex door{redis, argv[2], limits(argv[3], "0")};
    std::cout << "asking" << std::endl;
    door.lock();
    door.lock();
    std::cout << "got " << door.fence() << std::endl;
    if (!next_line()) return 0;
    door.unlock();
    std::cout << "depth " << door.depth() << std::endl;
    if (!next_line()) return 0;
    std::cout << holdfast::to_string(door.release()) << std::endl;
    until_input_ends();
    return 0;
  });
}
