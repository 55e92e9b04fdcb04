// A latch: go on when all parts of a job are done, wherever they were done.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  const auto work = [&redis](int part) {  // in reality another process on another machine
    holdfast::latch done{redis, "import:2024-05-01", 3};
    std::this_thread::sleep_for(10ms * part);
    done.count_down();
  };
  std::vector<std::jthread> workers;
  for (int part = 0; part < 3; ++part) workers.emplace_back(work, part);

  holdfast::latch done{redis, "import:2024-05-01", 3};
  if (!done.wait_for(30s)) return 1;  // somebody has not come
  std::cout << "all three parts are in\n";
}
