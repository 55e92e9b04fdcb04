// The first use: take a lock, work, give it back.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <mutex>

int main() {
  holdfast::client redis;                        // $HOLDFAST_URL, or a private Redis that is started for you
  holdfast::mutex invoice{redis, "invoice:42"};  // a std::timed_mutex across processes and machines
  const std::lock_guard hold{invoice};           // waits its turn
  std::cout << "holding " << invoice.name() << ", fence " << invoice.fence() << ", good for "
            << std::chrono::duration_cast<std::chrono::seconds>(invoice.remaining()).count() << " s and renewed\n";
}  // released here: the first in the queue has it at once
