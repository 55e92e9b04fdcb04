// What a client counted: enough to see contention, slow servers and losses coming.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

using microseconds = std::chrono::microseconds;

int main() {
  holdfast::client redis;
  std::vector<std::jthread> crowd;
  for (int i = 0; i < 4; ++i) {
    crowd.emplace_back([&redis] {
      for (int turn = 0; turn < 25; ++turn) {
        const holdfast::lease lease = redis.acquire("turnstile");
        std::this_thread::sleep_for(microseconds{200});
      }
    });
  }
  crowd.clear();  // joins

  const holdfast::stats seen = redis.stats();
  std::cout << "acquired " << seen.acquired << " of " << seen.attempts << ", contended " << seen.contended
            << ", handed over " << seen.handoffs_given << ", woken by push " << seen.woken_by_push << "\n"
            << "waited p50 " << std::chrono::duration_cast<microseconds>(seen.wait.quantile(0.5)).count() << " us, p99 "
            << std::chrono::duration_cast<microseconds>(seen.wait.quantile(0.99)).count() << " us\n"
            << "lost " << seen.of(holdfast::loss_cause::expired) << ", unreachable "
            << seen.of(holdfast::errc::unreachable) << "\n";
  return seen.acquired == 100 && seen.released == 100 && seen.held_now == 0 ? 0 : 1;
}
