// Long work that stops by itself before the lock can be anybody else's.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  // Renewal is off here so that the lease does end; the stop margin is the time this work needs to wind up.
  holdfast::lease lease = redis.acquire("rebuild-index", {.ttl = 500ms, .renew = false, .stop_margin = 100ms});
  lease.on_lost(
      [](const holdfast::loss& what) { std::cout << "lost " << what.name << ": " << to_string(what.cause) << "\n"; });

  const auto begin = std::chrono::steady_clock::now();
  const std::stop_token lost = lease.lost();
  int pieces = 0;
  while (!lost.stop_requested()) {
    std::this_thread::sleep_for(10ms);  // one piece of work
    ++pieces;
  }
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  std::cout << "stopped after " << pieces << " pieces and " << took.count() << " ms; the key lives until 500 ms\n";
  return took < 500ms ? 0 : 1;
}
