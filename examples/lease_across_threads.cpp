// A lease is a value: acquired on one thread, moved to another, released there.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  holdfast::lease lease = redis.acquire("upload:7", {.ttl = 10s, .wait = 5s});

  auto outcome = holdfast::release_outcome::unknown;
  std::jthread worker{[&outcome, held = std::move(lease)]() mutable {
    std::cout << "the worker holds " << held.name() << " as " << held.owner() << "\n";
    outcome = held.release();
  }};
  worker.join();

  std::cout << "it was " << to_string(outcome) << "; what was moved from holds nothing: " << std::boolalpha
            << static_cast<bool>(lease) << "\n";
  return outcome == holdfast::release_outcome::released && !lease ? 0 : 1;
}
