// The read-write lock by leases: what shared_mutex is made of.
#include "client/acquire_blocking.hpp"
#include "client/downgrade.hpp"
#include "client/lease_access.hpp"
#include "client/outcomes.hpp"
#include "client/release_call.hpp"
#include "client/unexpected.hpp"
#include "lock/shares.hpp"

#include <holdfast/shared_mutex.hpp>

namespace holdfast {

using detail::acquire_blocking;
using detail::lease_access;

namespace {

// A reader's share that became a writer's, and is left over.
constexpr std::chrono::seconds leftover_limit{10};

// The owner goes on under the same id, so that the server knows whose share becomes what. On a quorum it is told the reader's, and
// each try has an owner of its own: what takes back a try that failed can then never take the reader's share, nor a later try's.
options same_holder(const lease& of, const options& how, bool quorum) {
  options made = how;
  made.owner = quorum ? std::string{} : std::string{of.owner()};
  made.prefix = std::string{of.key().substr(0, of.key().size() - of.name().size())};
  return made;
}

result<void> check_kind(const std::shared_ptr<detail::held_lease>& held) {
  if (!held) return detail::no_lease();
  if (held->owner()->is_foreign()) return detail::core::foreign();
  if (!lock::is_read_write(held->what())) {
    return failure{errc::bad_option, "this is not a lease of a read-write lock; see shared_mutex.hpp"};
  }
  return {};
}

result<void> upgrade(lease& shared, const options& how, bool waits) {
  const std::shared_ptr<detail::held_lease> held = lease_access::held(shared);
  if (auto right = check_kind(held); !right) return right;
  if (!shared) return detail::is_lost(*held);
  const bool quorum = held->owner()->where().deployment == deployment::quorum;
  const auto what = quorum ? lock::upgrader_of(shared.owner()) : lock::upgrader();
  auto got = acquire_blocking(held->owner(), shared.name(), same_holder(shared, how, quorum), waits, what);
  if (!got) return got.failure();
  if (!shared) {
    // Over by our clock, though not yet by the server's: what was read cannot be relied on.
    static_cast<void>(got->release());
    return detail::is_lost(*held);
  }
  {
    auto guard = held->owner()->lock();
    held->stop();
    if (quorum) detail::release_call::detach(*held->owner(), held->key(), held->id(), {}, leftover_limit, held->what());
    held->owner()->settle(guard);
  }
  lease_access::held(shared) = std::move(lease_access::held(*got));
  return {};
}

}  // namespace

lease acquire_shared(client& redis, std::string_view name, const options& how) {
  return std::move(acquire_shared(std::nothrow, redis, name, how).value());
}

result<lease> acquire_shared(std::nothrow_t, client& redis, std::string_view name, const options& how) noexcept {
  return acquire_blocking(lease_access::core_of(redis), name, how, true, lock::reader());
}

result<lease> try_acquire_shared(client& redis, std::string_view name, const options& how) noexcept {
  return acquire_blocking(lease_access::core_of(redis), name, how, false, lock::reader());
}

lease acquire_exclusive(client& redis, std::string_view name, const options& how) {
  return std::move(acquire_exclusive(std::nothrow, redis, name, how).value());
}

result<lease> acquire_exclusive(std::nothrow_t, client& redis, std::string_view name, const options& how) noexcept {
  return acquire_blocking(lease_access::core_of(redis), name, how, true, lock::writer());
}

result<lease> try_acquire_exclusive(client& redis, std::string_view name, const options& how) noexcept {
  return acquire_blocking(lease_access::core_of(redis), name, how, false, lock::writer());
}

result<void> upgrade(lease& shared, const options& how) noexcept try {
  return upgrade(shared, how, true);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> try_upgrade(lease& shared, const options& how) noexcept try {
  return upgrade(shared, how, false);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> downgrade(lease& exclusive) noexcept try {
  const std::shared_ptr<detail::held_lease> held = lease_access::held(exclusive);
  if (auto right = check_kind(held); !right) return right;
  if (!exclusive) return detail::is_lost(*held);
  if (held->owner()->where().deployment == deployment::quorum) {
    // Whatever the nodes answer: a majority may have done it, and those that have not are told by the renewals.
    {
      const auto guard = held->owner()->lock();
      held->keep_as(lock::reader());
    }
    return detail::downgrade(held, *lock::downgrader()->release, lock::downgrader()->extra);
  }
  const lock::flavour& what = *lock::upgrader();  // its release is the way back
  return detail::downgrade(held, *what.release, what.extra);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

}  // namespace holdfast
