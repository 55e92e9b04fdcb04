// A process at a latch or a barrier: what tests kill.
//
//   meeter URL latch|barrier NAME EXPECTED wait|arrive
//
//   out  ready         the connection is up
//        arrived       after its arrival, with `arrive`
//        done          the wait is over; failed CODE otherwise
//   With `arrive` it does not wait, and stays until its input ends.
#include "helpers/child.hpp"

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
  using namespace holdfast::test;
  return run_child(argc, argv, 5, [&] {
    holdfast::client redis = connected(argv[1]);
    std::cout << "ready" << std::endl;
    const bool waits = std::string{argv[5]} == "wait";
    const auto met = meet(redis, argv[2], argv[3], std::stoll(argv[4]), waits);
    if (!met) return failed(met.code());
    std::cout << (waits ? "done" : "arrived") << std::endl;
    until_input_ends();
    return 0;
  });
}
