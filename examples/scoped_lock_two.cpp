// Two locks at once, without a fixed order and without deadlock: std::scoped_lock does it as for std::mutex.
#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>
#include <thread>

int main() {
  holdfast::client redis;
  int alice = 100;
  int bob = 100;

  // Each thread names the accounts in another order.
  const auto transfer = [&redis](const char* from, const char* to, int& source, int& target) {
    holdfast::mutex first{redis, from};
    holdfast::mutex second{redis, to};
    for (int i = 0; i < 20; ++i) {
      const std::scoped_lock both{first, second};
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
