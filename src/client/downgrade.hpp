// From writer to reader, for every kind of read-write lock.
#pragma once

#include "client/held_lease.hpp"
#include "lock/flavour.hpp"

#include <holdfast/result.hpp>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::detail {

// Runs `how` for the held lease, with the owner, an empty entry and `extra`; it answers 0 for "not mine".
result<void> downgrade(const std::shared_ptr<held_lease>& held, const scripts::script& how,
                       const std::vector<std::string>& extra);

}  // namespace holdfast::detail
