// At most three downloads at a time, in all processes together.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  holdfast::semaphore slots{redis, "downloads", 3, {.ttl = 10s}};

  slots.acquire(2);                            // two at once, or wait for both
  const holdfast::lease third = slots.take();  // as a lease: with its own loss signal
  if (slots.try_acquire_for(100ms)) return 1;  // all are in use
  std::cout << "three of " << slots.max() << " are in use\n";

  slots.set_capacity(4);  // for all processes, at once
  if (!slots.try_acquire()) return 1;
  slots.release(2);
  slots.release();
  std::cout << "given back; a process that crashes gives its own back after 10 s\n";
}
