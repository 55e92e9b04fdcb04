// The names of locks that exist now, for a shell that waits: a fraction of a second at most, and no complaint.
#pragma once

#include "completion/candidates.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::cli {

// Asks `holdfast list --names`, in a child process that is killed when the time is over. Nothing where Redis cannot be
// reached, refuses or is slow, or where no Redis is configured: a press of TAB starts no server.
[[nodiscard]] std::vector<std::string> lock_names(const completion_plan::names& wanted,
                                                  std::chrono::milliseconds limit);

}  // namespace holdfast::cli
