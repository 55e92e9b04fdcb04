// holdfast::break_lock: one script for each layout, and one for the votes of a quorum. Each says what is at the key if it is not for it.
#include <holdfast/inspect.hpp>

#include "client/batch.hpp"
#include "client/lease_access.hpp"
#include "client/unexpected.hpp"
#include "lock/names.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/shares.hpp"
#include "lock/snapshot.hpp"
#include "lock/transaction.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace holdfast {

using detail::batch;
using detail::core;

namespace {

// The break script found something else than what it is for, and says what.
bool is_only(const resp::value& reply, std::string_view word) {
  return reply.is_list() && reply.items.size() == 1 && reply.items[0].text == word;
}

// On a quorum: every vote for those who hold it, on all nodes at once. It is broken when the votes that may be left are not a majority.
result<broken_lock> break_votes(client& redis, core& owner, const std::string& key, std::string_view name,
                                std::string_view expected_owner) {
  const auto seen = inspect(redis, name, {.patience = std::chrono::milliseconds{0}, .most_waiters = 0});
  if (!seen) return seen.failure();
  if (!seen->held) return lock::nothing_to_break(key);
  const auto& holders = seen->held_by;
  const bool meant =
      expected_owner.empty() || std::ranges::find(holders, expected_owner, &lock_holder::owner) != holders.end();
  if (!meant) return lock::changed_holder(seen->owner);
  const bool shares = seen->layout == lock_layout::shares;
  const scripts::script& what = seen->kind == lock_kind::semaphore ? scripts::quorum_permits_break
                                : shares                           ? scripts::quorum_share_break
                                                                   : scripts::quorum_break;
  const std::vector keys{key, lock::waiters_key(key)};
  std::vector<bool> told(holders.size());
  std::size_t unanswered = 0;
  std::optional<failure> why;
  auto guard = owner.lock();
  std::deque<batch> asked;
  for (net::connection* each : owner.nodes().primaries()) {
    batch& at_node = asked.emplace_back(owner, false, each);
    for (const lock_holder& one : holders) {
      std::vector<std::string> words{one.owner};
      if (shares) words.push_back(std::to_string(seen->capacity.value_or(lock::most_shares)));
      at_node.add_script(what, std::span<const std::string>{keys}, std::span<const std::string>{words});
    }
    at_node.send();
  }
  for (batch& each : asked) {
    if (auto problem = each.wait(guard)) {
      ++unanswered;
      why = problem;
      continue;
    }
    for (std::size_t i = 0; i < holders.size(); ++i) {
      const auto read = lock::read_break(each.reply(i), key);
      told[i] = told[i] || (read && read->told);
    }
  }
  if (unanswered >= lock::majority_of(asked.size())) return *why;
  return broken_lock{seen->owner, {}, std::ranges::find(told, false) == told.end(), holders.size()};
}

}  // namespace

result<broken_lock> break_lock(client& redis, std::string_view name, std::string_view expected_owner) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) return core::foreign();
  if (!owner->where().scripts) return lock::needs_scripts("break_lock");
  const auto key = lock::make_key(owner->where().prefix, name);
  if (!key) return key.failure();
  if (owner->where().deployment == deployment::quorum) return break_votes(redis, *owner, *key, name, expected_owner);
  auto guard = owner->lock();
  std::optional<batch> asked;
  // Not repeatable: the second run could take the lock from the waiter to whom the first has given it.
  const auto ask = [&](const scripts::script& what, const std::vector<std::string>& more_keys,
                       const std::vector<std::string>& more_words) {
    std::vector keys{*key, lock::waiters_key(*key), lock::seen_key(*key), lock::fence_key(*key)};
    keys.insert(keys.end(), more_keys.begin(), more_keys.end());
    std::vector<std::string> words{std::string{expected_owner}};
    words.insert(words.end(), more_words.begin(), more_words.end());
    asked.emplace(*owner, false);
    asked->add_script(what, std::span<const std::string>{keys}, std::span<const std::string>{words});
    return asked->run(guard);
  };
  if (const auto problem = ask(scripts::break_plain, {lock::note_key(*key)}, {})) return *problem;
  if (is_only(asked->reply(0), "zset")) {
    if (const auto problem = ask(scripts::break_shares, {}, {})) return *problem;
  } else if (is_only(asked->reply(0), "hash")) {
    const auto problem = ask(scripts::break_redisson, {lock::redisson_queue(*key)}, {lock::redisson_channel(*key)});
    if (problem) return *problem;
  }
  if (is_only(asked->reply(0), "read_write")) {
    const auto problem =
        ask(scripts::break_read_write, {}, {lock::redisson_read_write_channel(*key), lock::redisson_stem(*key)});
    if (problem) return *problem;
  }
  return lock::read_break(asked->reply(0), *key);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

}  // namespace holdfast
