// A process that takes one share and tells how it goes: what tests kill. As locker.cpp, with one argument more.
//
//   sharer URL NAME TTL_MS WAIT_MS KIND     KIND: read, write, K/N for K of N permits; redisson-read, redisson-write
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

// Holds until the end of input.
void hold(std::uint64_t fence) {
  std::cout << "got " << fence << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
}

int fail(holdfast::errc code) {
  std::cout << "failed " << holdfast::to_string(code) << std::endl;
  return 1;
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
    if (const std::string kind = argv[5]; kind.starts_with("redisson-")) {
      holdfast::redisson_shared_mutex door{redis, argv[2], how};
      const auto got = kind == "redisson-read" ? door.lock_shared(std::nothrow) : door.lock(std::nothrow);
      if (!got) return fail(got.code());
      hold(door.fence());
      return 0;
    }
    const auto lease = take(redis, argv[2], how, argv[5]);
    if (!lease) return fail(lease.code());
    hold(lease->fence());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "sharer: %s\n", problem.what());
    return 3;
  }
}
