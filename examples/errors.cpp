// Errors are values in the std::nothrow and try_ forms and exceptions elsewhere; each has one code and one sentence.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  int seen = 0;

  try {
    static_cast<void>(redis.acquire("a{b"));  // refused before anything is sent
  } catch (const holdfast::error& problem) {
    seen += problem.kind() == holdfast::errc::bad_name ? 1 : 0;
    std::cout << problem.what() << "\n";
  }

  const auto lease = redis.acquire(std::nothrow, "jobs", {.ttl = 5ms});
  if (!lease) {
    seen += lease.code() == holdfast::errc::bad_option ? 1 : 0;
    std::cout << to_string(lease.code()) << ": " << lease.failure().detail << "\n";
  }

  const auto where = holdfast::settings::from_url("redis://127.0.0.1:1/?connect_timeot=1s");
  if (!where) {
    seen += where.code() == holdfast::errc::bad_url ? 1 : 0;
    std::cout << to_string(where.code()) << ": " << where.failure().detail << "\n";
  }

  holdfast::client nowhere{"redis://127.0.0.1:1"};  // nobody listens there
  if (const auto silent = nowhere.try_acquire("jobs"); !silent && silent.code() == holdfast::errc::unreachable) ++seen;
  return seen == 4 ? 0 : 1;
}
