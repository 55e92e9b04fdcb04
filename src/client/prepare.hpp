// What an acquire needs, checked before anything is sent.
#pragma once

#include "client/core.hpp"
#include "client/supported.hpp"
#include "lock/checked_options.hpp"
#include "lock/flavour.hpp"
#include "lock/names.hpp"
#include "lock/transaction.hpp"

#include <holdfast/options.hpp>

#include <string>
#include <string_view>

namespace holdfast::detail {

struct prepared {
  std::string key;
  std::string id;  // empty: to be made
  std::size_t prefix = 0;
  lock::terms terms;
  lock::flavour_ptr what = lock::plain();
};

// `kind`: the primitive, if it is more than a plain lock ("a semaphore").
inline result<prepared> prepare(const core& owner, std::string_view name, const options& how, bool waits,
                                std::string_view kind = {}) {
  const bool scripts = owner.where().scripts;
  if (auto why = kind.empty() ? std::nullopt : unsupported(owner, kind)) return *why;
  if (auto why = how.signal_prefix ? unsupported(owner, "signal_prefix") : std::nullopt) return *why;
  auto terms = lock::check(how);
  if (!terms) return terms.failure();
  if (auto why = too_long(owner, terms->ttl)) return *why;
  if (!waits && how.wait) {
    return failure{errc::bad_option, "wait is set, but the try_ calls do not wait; use acquire"};
  }
  terms->waits = waits;
  terms->replicas = how.replicas.value_or(owner.where().replicas);
  if (terms->replicas.value != 0 && owner.where().deployment == deployment::quorum) {
    return failure{errc::bad_option, "replicas is asked for, and a quorum (" + owner.where().display() +
                                         ") has none: its majority of nodes is what keeps a lock"};
  }
  if (!scripts && terms->replicas.value != 0) return lock::needs_scripts("replicas");
  if (!scripts) terms->queue = false;  // there is none to stand in
  const std::string& prefix = how.prefix ? *how.prefix : owner.where().prefix;
  auto key = lock::make_key(prefix, name);
  if (!key) return key.failure();
  if (!how.signal_prefix) return prepared{std::move(*key), how.owner, prefix.size(), *terms};
  const auto list = lock::make_key(*how.signal_prefix, name);
  if (!list) return list.failure();
  if (owner.where().deployment == deployment::cluster && lock::slot_of(*list) != lock::slot_of(*key)) {
    return failure{errc::bad_option,
                   "signal_prefix needs a list in the lock's slot of the Cluster; give the name a {tag}"};
  }
  if (*list == *key) return failure{errc::bad_option, "signal_prefix is the prefix; the list needs another name"};
  return prepared{std::move(*key), how.owner, prefix.size(), *terms, lock::signalling(*list)};
}

}  // namespace holdfast::detail
