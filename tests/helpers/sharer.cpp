// A process that takes one share and tells how it goes: what tests kill. As locker.cpp, with one argument more.
//
//   sharer URL NAME TTL_MS WAIT_MS KIND     KIND: read, write, K/N for K of N permits; redisson-read, redisson-write
//
//   out  asking, then `got FENCE`, or `failed CODE` and the end
//   in   end of input: the process ends, and gives back
#include "helpers/child.hpp"

namespace {

using namespace holdfast::test;

holdfast::result<holdfast::lease> take(holdfast::client& redis, const std::string& name, const holdfast::options& how,
                                       const std::string& kind) {
  if (kind == "read") return holdfast::acquire_shared(std::nothrow, redis, name, how);
  if (kind == "write") return holdfast::acquire_exclusive(std::nothrow, redis, name, how);
  holdfast::semaphore permits{redis, name, std::stoull(kind.substr(kind.find('/') + 1)), how};
  return permits.take(std::nothrow, std::stoull(kind));
}

int hold(std::uint64_t fence) {
  std::cout << "got " << fence << std::endl;
  until_input_ends();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_child(argc, argv, 5, [&] {
    holdfast::client redis = connected(argv[1]);
    const holdfast::options how = limits(argv[3], argv[4]);
    std::cout << "asking" << std::endl;
    if (const std::string kind = argv[5]; kind.starts_with("redisson-")) {
      holdfast::redisson_shared_mutex door{redis, argv[2], how};
      const auto got = kind == "redisson-read" ? door.lock_shared(std::nothrow) : door.lock(std::nothrow);
      return got ? hold(door.fence()) : failed(got.code());
    }
    const auto lease = take(redis, argv[2], how, argv[5]);
    return lease ? hold(lease->fence()) : failed(lease.code());
  });
}
