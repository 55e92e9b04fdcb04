// The blocking acquire of every primitive, and the blocking wait of those that hold nothing afterwards.
#pragma once

#include "client/core.hpp"
#include "lock/checked_options.hpp"
#include "lock/flavour.hpp"

#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>
#include <holdfast/result.hpp>

#include <memory>
#include <stop_token>
#include <string_view>

namespace holdfast::detail {

// `waits` false: one try. Any thread; the guard must not be held.
result<lease> acquire_blocking(std::shared_ptr<core> owner, std::string_view name, const options& how, bool waits,
                               lock::flavour_ptr what = lock::plain()) noexcept;

// Waits in the queue of `key` until the flavour's acquire script says "granted", and has nothing then: no lease, nothing to
// release.
result<void> wait_blocking(std::shared_ptr<core> owner, std::string_view key, std::string_view name,
                           const lock::terms& how, lock::flavour_ptr what, const std::stop_token& stop) noexcept;

}  // namespace holdfast::detail
