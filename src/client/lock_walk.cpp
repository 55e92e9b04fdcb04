#include "client/lock_walk.hpp"

#include "lock/names.hpp"
#include "lock/server_error.hpp"
#include "lock/snapshot.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::detail {
namespace {

// Keys that one SCAN walks over. The server is busy with it for a fraction of a millisecond.
constexpr std::string_view scan_count = "1000";
constexpr std::size_t scan_step = 1000;

}  // namespace

std::size_t add_look(batch& to, std::string_view key, std::size_t most_waiters, std::string_view want, bool as_text) {
  return to.add_script(scripts::inspect, {key, lock::waiters_key(key), lock::note_key(key)},
                       {std::to_string(most_waiters), want}, as_text);
}

lock_walk::lock_walk(core& owner, std::string_view pattern, const list_options& how, net::connection* only)
    : owner_{owner},
      how_{how},
      only_{only},
      match_{lock::glob_escaped(owner.where().prefix).append(pattern.empty() ? "*" : pattern)},
      want_{pattern.empty() ? "locks" : "expiring"} {}

std::optional<failure> lock_walk::run(guard_type& guard) {
  nodes_ = only_ != nullptr ? std::vector{only_} : owner_.nodes().primaries();
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

std::optional<failure> lock_walk::step(guard_type& guard) {
  batch asked{owner_, true, only_};
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

std::optional<failure> lock_walk::take_keys(const resp::value& reply) {
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

}  // namespace holdfast::detail
