// holdfast::inspect and holdfast::list: one snapshot script per lock, then the question to the holders. On a quorum every node is
// looked at, and what a majority of them says is the answer (lock/quorum_look.hpp).
#include <holdfast/inspect.hpp>

#include "client/batch.hpp"
#include "client/lease_access.hpp"
#include "client/lock_walk.hpp"
#include "client/question.hpp"
#include "client/unexpected.hpp"
#include "lock/names.hpp"
#include "lock/quorum_look.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/snapshot.hpp"
#include "lock/transaction.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace holdfast {

using detail::batch;
using detail::core;
using detail::guard_type;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t longest_pattern = 1024;

// A fair lock of Redisson's has a queue of its own, in another key, which we may not have the right to read.
void look_for_fair_queues(core& owner, guard_type& guard, std::span<lock_info> found, std::size_t most_waiters) {
  batch asked{owner, true};
  std::vector<lock_info*> whose;
  for (lock_info& each : found) {
    if (each.layout != lock_layout::redisson) continue;
    const std::string queue = lock::redisson_queue(each.key);
    asked.add_for(queue, {"LLEN", queue});
    asked.add_for(queue, {"LRANGE", queue, "0", std::to_string(static_cast<std::int64_t>(most_waiters) - 1)});
    whose.push_back(&each);
  }
  if (whose.empty() || asked.run(guard)) return;
  for (std::size_t i = 0; i < whose.size(); ++i) {
    const resp::value& length = asked.reply(2 * i);
    if (length.type != resp::kind::integer || length.integer <= 0) continue;
    whose[i]->layout = lock_layout::redisson_fair;
    whose[i]->waiting = static_cast<std::uint64_t>(length.integer);
    if (most_waiters == 0) continue;
    for (const resp::value& each : asked.reply(2 * i + 1).items) {
      if (each.is_text()) whose[i]->waiters.push_back({each.text, {}, {}, {}, 1});
    }
  }
}

void ask_holders(core& owner, guard_type& guard, std::span<lock_info> found, milliseconds patience, bool broadly) {
  if (patience <= milliseconds{0} || !owner.nodes().of({}).has_inbox()) return;
  detail::question asked{owner, found, broadly};
  asked.run(guard, std::min(patience, milliseconds{60'000}));
}

result<lock_info> read_look(core& owner, guard_type& guard, std::string_view key, batch& asked) {
  if (auto problem = asked.wait(guard)) return *problem;
  auto read = lock::read_snapshot(asked.reply(0), key, owner.where().prefix.size());
  if (!read) return read.failure();
  if (!*read) return failure{errc::protocol, "the inspect script answered nothing"};
  return std::move(**read);
}

// The view of each of these nodes, which are asked at once. Null: the node that has the key.
std::vector<result<lock_info>> look(core& owner, guard_type& guard, std::string_view key, std::size_t most_waiters,
                                    const std::vector<net::connection*>& whom) {
  std::deque<batch> asked;
  for (net::connection* each : whom) {
    detail::add_look(asked.emplace_back(owner, true, each), key, most_waiters, "all", false);
    asked.back().send();
  }
  std::vector<result<lock_info>> views;
  views.reserve(asked.size());
  for (batch& each : asked) views.push_back(read_look(owner, guard, key, each));
  return views;
}

// What a majority of a quorum's nodes says.
template <class Answer>
result<Answer> by_majority(const core& owner, std::vector<result<Answer>> told) {
  std::vector<Answer> answers;
  std::optional<failure> why;
  for (result<Answer>& each : told) {
    if (each) {
      answers.push_back(std::move(*each));
    } else {
      why = each.failure();
    }
  }
  const std::size_t nodes = owner.nodes().size();
  if (answers.size() < lock::majority_of(nodes)) return *why;
  return lock::agree(std::move(answers), nodes);
}

}  // namespace

result<lock_info> inspect(client& redis, std::string_view name, const inspect_options& how) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) return core::foreign();
  if (!owner->where().scripts) return lock::needs_scripts("inspect");
  const auto key = lock::make_key(owner->where().prefix, name);
  if (!key) return key.failure();
  auto guard = owner->lock();
  const bool quorum = owner->nodes().is_quorum();
  const auto whom = quorum ? owner->nodes().primaries() : std::vector<net::connection*>{nullptr};
  auto views = look(*owner, guard, *key, how.most_waiters, whom);
  auto seen = quorum ? by_majority(*owner, std::move(views)) : std::move(views.front());
  if (!seen) return seen;
  const std::span<lock_info> one{&*seen, 1};
  look_for_fair_queues(*owner, guard, one, how.most_waiters);
  ask_holders(*owner, guard, one, how.patience, true);
  owner->settle(guard);
  return seen;
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<lock_list> list(client& redis, std::string_view pattern, const list_options& how) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) return core::foreign();
  if (!owner->where().scripts) return lock::needs_scripts("list");
  if (pattern.size() > longest_pattern) {
    return failure{errc::bad_option, "the pattern has " + std::to_string(pattern.size()) + " bytes; at most " +
                                         std::to_string(longest_pattern) + " are allowed"};
  }
  auto guard = owner->lock();
  const auto ask = [&](net::connection* only) -> result<lock_list> {
    detail::lock_walk over{*owner, pattern, how, only};
    if (const auto problem = over.run(guard)) return *problem;
    return std::move(over.found());
  };
  const auto ask_all = [&] {
    std::vector<result<lock_list>> told;
    for (net::connection* each : owner->nodes().primaries()) told.push_back(ask(each));
    return told;
  };
  auto found = owner->nodes().is_quorum() ? by_majority(*owner, ask_all()) : ask(nullptr);
  if (!found) return found;
  lock::find_together(found->locks);
  look_for_fair_queues(*owner, guard, found->locks, how.most_waiters);
  ask_holders(*owner, guard, found->locks, how.patience, false);
  owner->settle(guard);
  return found;
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

}  // namespace holdfast
