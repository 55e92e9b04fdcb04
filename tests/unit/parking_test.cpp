// parking: no wake-up is lost, whoever comes first, and the sleeper may vanish right after it was woken.
#include "runtime/parking.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace holdfast::runtime {
namespace {

TEST(Parking, AWakeBeforeTheWaitIsNotLost) {
  parking place;
  EXPECT_FALSE(place.woken());
  place.wake();
  EXPECT_TRUE(place.woken());
  place.wait();
}

TEST(Parking, AWaiterSleepsUntilItIsWoken) {
  parking place;
  std::atomic<bool> returned{false};
  std::thread sleeper{[&] {
    place.wait();
    returned = true;
  }};
  std::this_thread::sleep_for(std::chrono::milliseconds{50});  // the time it must sleep through
  EXPECT_FALSE(returned);
  place.wake();
  sleeper.join();
  EXPECT_TRUE(returned);
}

TEST(Parking, ManyThreadsAndRoundsLoseNoWakeUp) {
  constexpr int threads = 4;
  constexpr int rounds = 20'000;
  std::atomic<parking*> slots[threads] = {};
  std::vector<std::thread> sleepers;
  for (auto& slot : slots) {
    sleepers.emplace_back([&slot] {
      for (int i = 0; i < rounds; ++i) {
        parking here;  // on the stack, gone as soon as it was woken
        slot.store(&here);
        here.wait();
      }
    });
  }
  int woken = 0;
  while (woken < threads * rounds) {
    for (auto& slot : slots) {
      if (parking* const place = slot.exchange(nullptr)) {
        place->wake();
        ++woken;
      }
    }
    std::this_thread::yield();
  }
  for (auto& each : sleepers) each.join();
}

}  // namespace
}  // namespace holdfast::runtime
