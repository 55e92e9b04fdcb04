// Who holds a lock and who waits; and taking it from a holder that hangs.
#include <holdfast/holdfast.hpp>

#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main() {
  holdfast::client worker;
  const holdfast::lease stuck = worker.acquire("report", {.ttl = 60s});

  holdfast::client redis;  // an operator's, in another process
  const holdfast::lock_info seen = holdfast::inspect(redis, "report").value();
  if (!seen.held) return 1;
  std::cout << seen.name << " is held by " << seen.host << ", pid " << seen.pid.value_or(0) << "; " << seen.waiting
            << " wait\n";

  const auto broken = holdfast::break_lock(redis, "report", seen.owner);  // only if it is still that holder
  if (!broken) return 1;
  while (stuck) std::this_thread::sleep_for(10ms);  // it hears of it at once
  std::cout << "broken; the holder lost it\n";
}
