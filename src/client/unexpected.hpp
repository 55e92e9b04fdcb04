// The answer of a call that does not throw, where something below it did.
#pragma once

#include <holdfast/error.hpp>

#include <exception>

namespace holdfast::detail {

inline failure unexpected(const std::exception& problem) { return {errc::unreachable, problem.what()}; }

}  // namespace holdfast::detail
