// A process that takes one share and tells how it goes: what tests kill. As locker.cpp, with one argument more.
//
//   sharer URL NAME TTL_MS WAIT_MS KIND     KIND: read, write, or K/N for K of N permits
//
//   out  asking, then `got FENCE`, or `failed CODE` and the end
//   in   end of input: the process ends, and gives back
#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

holdfast::result<holdfast::lease> take(holdfast::client& redis, const std::string& name, const holdfast::options& how,
                                       const std::string& kind) {
  if (kind == "read") return holdfast::acquire_shared(std::nothrow, redis, name, how);
  if (kind == "write") return holdfast::acquire_exclusive(std::nothrow, redis, name, how);
  holdfast::semaphore permits{redis, name, std::stoull(kind.substr(kind.find('/') + 1)), how};
  return permits.take(std::nothrow, std::stoull(kind));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  try {
    auto where = holdfast::settings::from_url(argv[1]).value();
    where.on_warning = [](const holdfast::warning&) {};
    holdfast::client redis{where};
    static_cast<void>(redis.ping().value());
    holdfast::options how{.ttl = std::chrono::milliseconds{std::stoll(argv[3])}};
    if (const long long wait = std::stoll(argv[4]); wait > 0) how.wait = std::chrono::milliseconds{wait};
    std::cout << "asking" << std::endl;
    const auto lease = take(redis, argv[2], how, argv[5]);
    if (!lease) {
      std::cout << "failed " << holdfast::to_string(lease.code()) << std::endl;
      return 1;
    }
    std::cout << "got " << lease->fence() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "sharer: %s\n", problem.what());
    return 3;
  }
}
