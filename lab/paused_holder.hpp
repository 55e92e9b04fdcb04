// The schedule of both experiments with a paused holder: A holds a lease of the library, is stopped past its end, B gets
// the lock and writes; then A goes on where it stood and writes without a look at its lease.
#pragma once

#include "trial.hpp"

namespace lab {

struct paused_holder {
  bool both = false;        // A and B each were granted the lock
  bool b_accepted = false;  // B's write
  bool a_accepted = false;  // A's, after the pause
  std::string data{};       // what the storage has in the end
  std::string a_lease{};    // what A's lease says at its first look after the pause
};

paused_holder pause_a_holder(trial& t, bool fenced);

}  // namespace lab
