// holdfast::inspect and holdfast::list: one snapshot script per lock, then the question to the holders.
#include <holdfast/inspect.hpp>

#include "client/batch.hpp"
#include "client/lease_access.hpp"
#include "client/question.hpp"
#include "client/supported.hpp"
#include "lock/names.hpp"
#include "lock/snapshot.hpp"
#include "lock/transaction.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>

namespace holdfast {

using detail::batch;
using detail::core;
using detail::guard_type;
using std::chrono::milliseconds;

namespace {

failure unexpected(const std::exception& problem) { return {errc::unreachable, problem.what()}; }

// Keys that one SCAN walks over. The server is busy with it for a fraction of a millisecond.
constexpr std::string_view scan_count = "1000";
constexpr std::size_t scan_step = 1000;
constexpr std::size_t longest_pattern = 1024;

std::size_t add_look(batch& to, std::string_view key, std::size_t most_waiters, std::string_view want, bool as_text) {
  return to.add_script(scripts::inspect, {key, lock::waiters_key(key), lock::note_key(key)},
                       {std::to_string(most_waiters), want}, as_text);
}

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

// The walk over the keys of one node after the other: SCAN, and a look at what it finds; both in one round trip.
class walk {
 public:
  walk(core& owner, std::string_view pattern, const list_options& how)
      : owner_{owner},
        how_{how},
        match_{lock::glob_escaped(owner.where().prefix).append(pattern.empty() ? "*" : pattern)},
        want_{pattern.empty() ? "locks" : "expiring"} {}

  std::optional<failure> run(guard_type& guard) {
    nodes_ = owner_.nodes().primaries();
    if (nodes_.empty()) {
      // A Cluster that has not been asked yet: any answer comes after the map.
      batch first{owner_, true};
      first.add({"PING"});
      if (auto problem = first.run(guard)) return problem;
      nodes_ = owner_.nodes().primaries();
    }
    while (!(ended_ && keys_.empty())) {
      if (found_.locks.size() >= how_.most_locks || (found_.keys >= how_.most_keys && keys_.empty())) {
        found_.complete = false;
        break;
      }
      if (auto problem = step(guard)) return problem;
    }
    std::sort(found_.locks.begin(), found_.locks.end(),
              [](const lock_info& a, const lock_info& b) { return a.name < b.name; });
    return std::nullopt;
  }

  lock_list& found() noexcept { return found_; }

 private:
  std::optional<failure> step(guard_type& guard) {
    batch asked{owner_, true};
    std::vector<std::string> looked;
    looked.swap(keys_);
    // The first look of a walk carries the script's text, so that the server knows it for the rest.
    for (const std::string& each : looked) {
      add_look(asked, each, how_.most_waiters, want_, !std::exchange(knows_script_, true));
    }
    std::optional<std::size_t> scan;
    if (!ended_ && found_.keys < how_.most_keys) {
      scan = asked.add_at(*nodes_.front(), {"SCAN", cursor_, "MATCH", match_, "COUNT", scan_count});
    }
    if (auto problem = asked.run(guard)) return problem;
    for (std::size_t i = 0; i < looked.size(); ++i) {
      auto read = lock::read_snapshot(asked.reply(i), looked[i], owner_.where().prefix.size());
      if (!read) return read.failure();
      if (!*read) continue;
      if (!known_.insert(looked[i]).second) continue;  // SCAN may tell a key twice
      if (found_.locks.size() == how_.most_locks) {
        found_.complete = false;
        return std::nullopt;
      }
      found_.locks.push_back(std::move(**read));
    }
    return scan ? take_keys(asked.reply(*scan)) : std::nullopt;
  }

  std::optional<failure> take_keys(const resp::value& reply) {
    if (reply.is_error()) return lock::server_error(reply.text);
    if (!reply.is_list() || reply.items.size() != 2 || !reply.items[0].is_text() || !reply.items[1].is_list()) {
      return failure{errc::protocol, "the answer to SCAN is not a cursor and a list of keys"};
    }
    cursor_ = reply.items[0].text;
    if (cursor_ == "0") nodes_.erase(nodes_.begin());
    ended_ = nodes_.empty();
    found_.keys += scan_step;
    const std::string& prefix = owner_.where().prefix;
    for (const resp::value& each : reply.items[1].items) {
      if (!each.is_text() || !each.text.starts_with(prefix) || lock::is_helper_key(each.text)) continue;
      // What no call of ours could name is not ours to show.
      if (lock::make_key(prefix, std::string_view{each.text}.substr(prefix.size()))) keys_.push_back(each.text);
    }
    return std::nullopt;
  }

  core& owner_;
  const list_options& how_;
  const std::string match_;
  const std::string_view want_;
  std::vector<net::connection*> nodes_;  // still to be walked over; the first is being
  std::string cursor_ = "0";
  bool ended_ = false;
  bool knows_script_ = false;
  std::vector<std::string> keys_;  // found by SCAN, to be looked at
  std::unordered_set<std::string> known_;
  lock_list found_;
};

}  // namespace

std::string_view to_string(lock_layout layout) noexcept {
  switch (layout) {
    case lock_layout::none:
      return "none";
    case lock_layout::plain:
      return "plain";
    case lock_layout::redisson:
      return "redisson";
    case lock_layout::redisson_fair:
      return "redisson_fair";
    case lock_layout::redisson_read:
      return "redisson_read";
    case lock_layout::redisson_write:
      return "redisson_write";
    case lock_layout::shares:
      return "shares";
    case lock_layout::meeting:
      return "meeting";
    case lock_layout::other:
      return "other";
  }
  return "unknown";
}

std::string_view to_string(lock_kind kind) noexcept {
  switch (kind) {
    case lock_kind::unknown:
      return "unknown";
    case lock_kind::mutex:
      return "mutex";
    case lock_kind::recursive_mutex:
      return "recursive_mutex";
    case lock_kind::shared_mutex:
      return "shared_mutex";
    case lock_kind::semaphore:
      return "semaphore";
    case lock_kind::latch:
      return "latch";
    case lock_kind::barrier:
      return "barrier";
    case lock_kind::elector:
      return "elector";
    case lock_kind::cache:
      return "cache";
    case lock_kind::multi_lock:
      return "multi_lock";
  }
  return "unknown";
}

std::string_view to_string(contact how) noexcept {
  switch (how) {
    case contact::unasked:
      return "unasked";
    case contact::answered:
      return "answered";
    case contact::silent:
      return "silent";
    case contact::absent:
      return "absent";
    case contact::left:
      return "left";
  }
  return "unknown";
}

result<lock_info> inspect(client& redis, std::string_view name, const inspect_options& how) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) return core::foreign();
  if (auto why = detail::unsupported(*owner, "inspect")) return *why;
  const std::string& prefix = owner->where().prefix;
  const auto key = lock::make_key(prefix, name);
  if (!key) return key.failure();
  auto guard = owner->lock();
  std::optional<lock_info> seen;
  {
    batch asked{*owner, true};
    add_look(asked, *key, how.most_waiters, "all", false);
    if (const auto problem = asked.run(guard)) return *problem;
    auto read = lock::read_snapshot(asked.reply(0), *key, prefix.size());
    if (!read) return read.failure();
    seen = std::move(*read);
  }
  if (!seen) return failure{errc::protocol, "the inspect script answered nothing"};
  const std::span<lock_info> one{&*seen, 1};
  look_for_fair_queues(*owner, guard, one, how.most_waiters);
  ask_holders(*owner, guard, one, how.patience, true);
  owner->settle(guard);
  return std::move(*seen);
} catch (const std::exception& problem) {
  return unexpected(problem);
}

result<lock_list> list(client& redis, std::string_view pattern, const list_options& how) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) return core::foreign();
  if (auto why = detail::unsupported(*owner, "list")) return *why;
  if (pattern.size() > longest_pattern) {
    return failure{errc::bad_option, "the pattern has " + std::to_string(pattern.size()) + " bytes; at most " +
                                         std::to_string(longest_pattern) + " are allowed"};
  }
  auto guard = owner->lock();
  walk over{*owner, pattern, how};
  if (const auto problem = over.run(guard)) return *problem;
  lock_list found = std::move(over.found());
  lock::find_together(found.locks);
  look_for_fair_queues(*owner, guard, found.locks, how.most_waiters);
  ask_holders(*owner, guard, found.locks, how.patience, false);
  owner->settle(guard);
  return found;
} catch (const std::exception& problem) {
  return unexpected(problem);
}

}  // namespace holdfast
