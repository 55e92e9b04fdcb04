// What an acquire needs, checked before anything is sent.
#pragma once

#include "client/core.hpp"
#include "lock/checked_options.hpp"
#include "lock/names.hpp"

#include <holdfast/options.hpp>

#include <string>
#include <string_view>

namespace holdfast::detail {

struct prepared {
  std::string key;
  std::string id;  // empty: to be made
  std::size_t prefix = 0;
  lock::terms terms;
};

inline result<prepared> prepare(const core& owner, std::string_view name, const options& how, bool waits) {
  auto terms = lock::check(how);
  if (!terms) return terms.failure();
  if (!waits && how.wait) {
    return failure{errc::bad_option, "wait is set, but the try_ calls do not wait; use acquire"};
  }
  terms->waits = waits;
  const std::string& prefix = how.prefix ? *how.prefix : owner.where().prefix;
  auto key = lock::make_key(prefix, name);
  if (!key) return key.failure();
  return prepared{std::move(*key), how.owner, prefix.size(), *terms};
}

}  // namespace holdfast::detail
