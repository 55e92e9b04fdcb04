// Two accounts at once, named in whatever order: both or none, and one token for the loss of either.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  int alice = 100;
  int bob = 100;

  const auto transfer = [&redis](const char* from, const char* to, int& source, int& target) {
    for (int i = 0; i < 20; ++i) {
      auto both = holdfast::acquire_all(redis, {from, to}, {.wait = 30s});
      if (both.lost().stop_requested()) return;
      --source;
      ++target;
    }
  };
  std::jthread one{[&] { transfer("account:alice", "account:bob", alice, bob); }};
  std::jthread two{[&] { transfer("account:bob", "account:alice", bob, alice); }};
  one.join();
  two.join();

  std::cout << "alice " << alice << ", bob " << bob << "\n";
  return alice == 100 && bob == 100 ? 0 : 1;
}
