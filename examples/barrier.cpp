// A barrier: nobody begins a step before all have ended the last one.
#include <holdfast/holdfast.hpp>

#include <array>
#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

int main() {
  constexpr int people = 3;
  holdfast::client redis;
  std::array<std::atomic<int>, 5> ended{};
  std::atomic<bool> in_step{true};
  const auto take_part = [&] {  // in reality a process of its own
    holdfast::barrier step{redis, "simulation:7", people};
    for (auto& each : ended) {
      ++each;  // the work
      step.arrive_and_wait();
      if (each != people) in_step = false;
    }
    step.arrive_and_drop();
  };
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < people; ++i) all.emplace_back(take_part);
  }
  std::cout << "five steps, " << (in_step ? "all together" : "somebody ran ahead") << "\n";
  return in_step ? 0 : 1;
}
