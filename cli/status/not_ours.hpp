// What extend and release say when the lock is not held under the given owner any more: who has it now.
#pragma once

#include "exit_code.hpp"
#include "status/lock_text.hpp"
#include "stop.hpp"

#include <holdfast/inspect.hpp>

#include <string>
#include <utility>

namespace holdfast::cli {

// Throws in any case: `stop` with who holds the lock, or the failure itself.
[[noreturn]] inline void explain(client& redis, const std::string& name, const failure& why) {
  if (why.code != errc::not_owner) throw error{why};
  std::string now;
  if (const auto seen = inspect(redis, name, {.patience = std::chrono::milliseconds{0}, .most_waiters = 0})) {
    now = seen->held ? ": it is held by " + seen->owner : ": nobody holds it";
  }
  throw stop{exit_not_acquired, name + " is not held under this owner any more" + now};
}

}  // namespace holdfast::cli
