// The plain calls: an owner id of the caller's own, so that one request is followed across calls and processes.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

int main() {
  holdfast::client web;     // takes the lock …
  holdfast::client worker;  // … and this one, which may be on another machine, gives it back

  const auto got = web.try_acquire("order:1001", "request-7f3a", 10s);
  if (!got) return 1;
  std::cout << "taken, fence " << got->fence << "\n";

  const auto stranger = worker.release("order:1001", "request-0000");
  if (stranger || stranger.code() != holdfast::errc::not_owner) return 1;
  std::cout << "a stranger cannot release it: " << stranger.failure().detail << "\n";

  if (!worker.extend("order:1001", "request-7f3a", 20s)) return 1;
  if (!worker.release("order:1001", "request-7f3a")) return 1;
  std::cout << "extended and released by the owner id\n";
}
