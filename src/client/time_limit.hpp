// The standard's time limits on top of the blocking acquire: what the Lockable faces have in common.
#pragma once

#include "client/acquire_blocking.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace holdfast::detail {

// A century: beyond it the clocks of the standard library overflow.
inline constexpr std::chrono::hours longest_limit{24 * 36500};

// `limit` none: as long as it takes. Not positive: one try.
inline result<lease> acquire_within(const std::shared_ptr<core>& owner, std::string_view name, const options& how,
                                    std::optional<std::chrono::nanoseconds> limit, const lock::flavour_ptr& what) {
  options now = how;
  now.wait.reset();
  if (!limit) return acquire_blocking(owner, name, now, true, what);
  if (*limit <= std::chrono::nanoseconds{0}) return acquire_blocking(owner, name, now, false, what);
  now.wait = std::min<std::chrono::milliseconds>(std::chrono::ceil<std::chrono::milliseconds>(*limit),
                                                 std::chrono::hours{24 * 3650});
  return acquire_blocking(owner, name, now, true, what);
}

// False means in use by others and nothing else.
inline bool true_unless_held(const result<void>& done) {
  if (done) return true;
  if (done.code() == errc::held || done.code() == errc::timed_out) return false;
  throw error{done.failure()};
}

}  // namespace holdfast::detail
