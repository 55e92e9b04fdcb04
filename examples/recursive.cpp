// A lock that its own thread may enter again, shared with Java services that use Redisson's getLock("orders").
#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>
#include <thread>

namespace {

// Locks for itself, whether or not the caller has done so already.
int add_line(holdfast::client& redis, int lines) {
  holdfast::recursive_mutex orders{redis, "orders"};
  const std::scoped_lock hold{orders};  // inside already: no round trip
  return lines + 1;
}

}  // namespace

int main() {
  holdfast::client redis;
  holdfast::recursive_mutex orders{redis, "orders"};
  int lines = 0;
  {
    const std::scoped_lock hold{orders};
    lines = add_line(redis, add_line(redis, lines));
    std::thread{[&] {
      if (orders.try_lock()) lines = -1;  // another thread is another owner
    }}.join();
  }
  std::cout << lines << " lines, and now " << orders.depth() << " deep\n";
  return lines == 2 ? 0 : 1;
}
