// Many readers at once, one writer alone; from reading to writing without letting go.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <mutex>
#include <shared_mutex>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  holdfast::shared_mutex prices{redis, "prices"};
  {
    const std::shared_lock reading{prices};
    // Readers of any process go in beside us; a writer waits for all of them.
    if (!holdfast::try_acquire_shared(redis, "prices")) return 1;
    if (holdfast::try_acquire_exclusive(redis, "prices").code() != holdfast::errc::held) return 1;

    // We are alone now: what was read stays true while we become the writer.
    prices.upgrade();
    std::cout << "writing under the fence " << prices.fence() << "\n";
    prices.downgrade();  // other readers may come in again
  }
  std::unique_lock writing{prices, 5s};
  std::cout << (writing ? "and once more, alone\n" : "somebody else was at it\n");
}
