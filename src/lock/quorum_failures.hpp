// Why the nodes of a quorum have not done what was asked of them, in words. Pure.
#pragma once

#include <holdfast/error.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

namespace holdfast::lock {

// `problem`: what one of the others has refused it for, if any has.
failure too_few_answers(std::size_t answers, std::size_t nodes, const std::optional<failure>& problem);
failure too_many_young(std::size_t nodes, std::chrono::milliseconds left);
failure another_max_ttl(std::chrono::milliseconds ours, std::chrono::milliseconds theirs);

}  // namespace holdfast::lock
