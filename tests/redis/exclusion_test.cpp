// Mutual exclusion through every form of locking at once.
#include "redis/bumping.hpp"

namespace holdfast::test {
namespace {

// Threads take turns over the forms of locking: tries, polled and queued leases.
struct any_form {
  explicit any_form(const redis_server& server) : redis{at(server)} {}

  lease operator()(int thread) {
    if (thread != 0) return redis.acquire("door", {.queue = thread != 1});
    for (;;) {
      auto tried = redis.try_acquire("door");
      std::this_thread::sleep_for(1ms);
      if (tried) return std::move(*tried);
    }
  }
  client redis;
};

TEST(exclusion, processes_and_threads_bump_a_number_and_lose_nothing) {
  redis_server server;
  expect_nothing_lost<any_form>(server, {.processes = 6, .threads = 4, .rounds = 12});
  EXPECT_EQ(server.number({"EXISTS", "door", waiters_of("door"), "{door}:seen"}), 0);
}

}  // namespace
}  // namespace holdfast::test
