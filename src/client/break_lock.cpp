// holdfast::break_lock: one script, chosen by what is at the key.
#include <holdfast/inspect.hpp>

#include "client/batch.hpp"
#include "client/lease_access.hpp"
#include "lock/names.hpp"
#include "lock/snapshot.hpp"
#include "lock/transaction.hpp"

namespace holdfast {

using detail::batch;
using detail::core;

namespace {

bool is_hash(const resp::value& reply) {
  return reply.is_list() && reply.items.size() == 1 && reply.items[0].text == "hash";
}

}  // namespace

result<broken_lock> break_lock(client& redis, std::string_view name, std::string_view expected_owner) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) return core::foreign();
  if (!owner->where().scripts) return lock::needs_scripts("break_lock");
  const auto key = lock::make_key(owner->where().prefix, name);
  if (!key) return key.failure();
  auto guard = owner->lock();
  // Not repeatable: the second run could take the lock from the waiter to whom the first has given it.
  batch plain{*owner, false};
  plain.add_script(scripts::break_plain,
                   {*key, lock::waiters_key(*key), lock::seen_key(*key), lock::fence_key(*key), lock::note_key(*key)},
                   {expected_owner});
  if (const auto problem = plain.run(guard)) return *problem;
  if (!is_hash(plain.reply(0))) return lock::read_break(plain.reply(0), *key);

  batch redisson{*owner, false};
  redisson.add_script(
      scripts::break_redisson,
      {*key, lock::waiters_key(*key), lock::seen_key(*key), lock::fence_key(*key), lock::redisson_queue(*key)},
      {expected_owner, lock::redisson_channel(*key), lock::redisson_read_write_channel(*key)});
  if (const auto problem = redisson.run(guard)) return *problem;
  return lock::read_break(redisson.reply(0), *key);
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

}  // namespace holdfast
