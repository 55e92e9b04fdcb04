// Readers and writers together with a Java service that uses Redisson's getReadWriteLock("prices").
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <mutex>
#include <shared_mutex>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  // Without a prefix the name is the one that Java uses.
  holdfast::redisson_shared_mutex prices{redis, "prices", {.ttl = 20s, .prefix = ""}};
  {
    const std::shared_lock reading{prices};  // beside other readers, Java's and ours
    std::cout << "reading under the fence " << prices.fence() << "\n";
  }
  std::unique_lock writing{prices, 5s};  // alone
  if (!writing) return 1;
  prices.downgrade();  // readers may come in; what we wrote stays true for us
  std::cout << "wrote, and reads on\n";
}
