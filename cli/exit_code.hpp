// What the command's exit codes mean; after sysexits.h where it has a word for it.
#pragma once

#include <holdfast/error.hpp>

namespace holdfast::cli {

enum exit_code : int {
  exit_ok = 0,
  exit_not_acquired = 1,  // held by another, or the wait was over; -E changes it
  exit_usage = 64,        // wrong words on the command line, or a setting that cannot be understood
  exit_wrong_type = 65,   // the key holds something that is not a lock
  exit_unreachable = 69,  // Redis cannot be reached, or cannot serve us now
  exit_internal = 70,     // a failure of this program or of the system: no memory, no processes
  exit_protocol = 76,     // what answers is not a Redis
  exit_refused = 77,      // password, ACL or certificate
  exit_lost = 79,         // the lock was lost while it was held: whatever the child said, do not trust its work
  exit_not_executable = 126,
  exit_not_found = 127,
  exit_signal = 128,  // and the signal's number is added
};

[[nodiscard]] int exit_code_of(errc code) noexcept;

}  // namespace holdfast::cli
