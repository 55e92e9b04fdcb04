// The blocking acquire of every primitive.
#pragma once

#include "client/core.hpp"
#include "lock/flavour.hpp"

#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>
#include <holdfast/result.hpp>

#include <memory>
#include <string_view>

namespace holdfast::detail {

// `waits` false: one try. Any thread; the guard must not be held.
result<lease> acquire_blocking(std::shared_ptr<core> owner, std::string_view name, const options& how, bool waits,
                               lock::flavour_ptr what = lock::plain()) noexcept;

}  // namespace holdfast::detail
