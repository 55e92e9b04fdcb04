// A Redis that denies scripting: the same lock, taken by WATCH, MULTI and EXEC.
#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>

int main() {
  auto where = holdfast::settings::load().value();
  where.scripts = false;  // or scripts=off in the URL, HOLDFAST_SCRIPTS=off, `scripts = off` in the file
  holdfast::client redis{where};
  holdfast::mutex invoice{redis, "invoice:42"};
  {
    const std::lock_guard hold{invoice};
    std::cout << "held under fence " << invoice.fence() << ", without a script\n";
  }
  try {
    holdfast::semaphore pool{redis, "pool", 3};  // has no form without scripts
    return 1;
  } catch (const holdfast::error& problem) {
    std::cout << problem.what() << "\n";
  }
  return 0;
}
