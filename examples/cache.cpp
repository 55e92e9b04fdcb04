// Several workers want the same page at once: one renders it, the others wait for it and read it.
#include <holdfast/holdfast.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  holdfast::cache<std::string> pages{redis, {.stale = 30s}};
  std::atomic<int> rendered{0};

  const auto render = [&] {
    ++rendered;
    std::this_thread::sleep_for(100ms);  // a slow source
    return std::string{"<h1>page 7</h1>"};
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < 8; ++i) {
    workers.emplace_back([&] { static_cast<void>(pages.get_or_load("page:7", 60s, render)); });
  }
  workers.clear();

  std::cout << "rendered " << rendered << " time: " << *pages.get_or_load("page:7", 60s, render) << "\n";
  return rendered == 1 ? 0 : 1;
}
