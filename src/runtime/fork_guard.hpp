// Notices fork(): a child inherits the memory of its parent's client, but neither its thread nor the right to its locks.
#pragma once

#include <cstdint>

namespace holdfast::runtime {

// How many forks lie between the first process and this one. A client remembers the number it was made under; any other
// number means that it belongs to the parent. Costs one load.
std::uint32_t fork_generation() noexcept;

}  // namespace holdfast::runtime
