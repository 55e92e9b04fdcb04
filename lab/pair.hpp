// A primary and a replica, and the two accidents that make a failover dangerous: the replica is cut off, the primary
// dies.
#pragma once

#include "trial.hpp"

namespace lab {

struct pair {
  place& primary;
  place& replica;
};

// Both run, and the replica has all that the primary has.
pair start_pair(trial& t);

// From now on nothing reaches the replica, which does not notice before it runs again: it is stopped, then the primary
// closes its connection. What a cut cable does.
void cut_off(trial& t, pair& both);

// The primary is killed; the replica runs (again) and becomes the primary.
void fail_over(trial& t, pair& both);

}  // namespace lab
