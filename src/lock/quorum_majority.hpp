// How many nodes of a quorum decide. Of an even number, one more than half: two halves must not both be enough.
#pragma once

#include <cstddef>

namespace holdfast::lock {

constexpr std::size_t majority_of(std::size_t nodes) noexcept { return nodes / 2 + 1; }

}  // namespace holdfast::lock
