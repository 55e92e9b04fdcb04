#include "doctor/rights.hpp"

#include "lock/names.hpp"
#include "lock/snapshot.hpp"

namespace holdfast::doctor {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What Redis complains of: the command, a key, or a channel. Its words differ between versions.
verdict read_complaint(const right& about, std::string_view text) {
  // The command first: a user's name may be any word, "channel" as well.
  const bool command = has(text, "to run the") || has(text, "can't run this");
  const bool key = !command && has(text, " key");
  const bool channel = !command && !key && has(text, "channel");
  switch (about.word.front()) {
    case '~':
      return key ? verdict::missing : verdict::unknown;
    case '&':
      return channel ? verdict::missing : verdict::unknown;
    default:
      return command ? verdict::missing : key || channel ? verdict::allowed : verdict::unknown;
  }
}

}  // namespace

trial_ground make_trial_ground(std::string_view prefix, std::string_view random) {
  const std::string key = std::string{prefix} + "holdfast-doctor-" + std::string{random};
  return {std::string{prefix},         key,
          lock::waiters_key(key),      lock::seen_key(key),
          lock::note_key(key),         lock::fence_key(key),
          lock::inbox_channel(random), lock::shard_channel(key, random)};
}

namespace {

right needed(std::string word, std::vector<std::string> trial) {
  return {std::move(word), need::needed, {}, std::move(trial)};
}

// For locks by scripts. A script with a key and nothing else shows whether the key is allowed.
std::vector<right> with_scripts(const trial_ground& at) {
  const std::string names = at.prefix + "*";
  const auto key = [](std::string word, const std::string& tried) {
    return needed(std::move(word), {"EVAL", "return 1", "1", tried});
  };
  return {
      key("~" + names, at.lock),
      key("~{" + names + "}:waiters", at.waiters),
      key("~{" + names + "}:seen", at.seen),
      key("~{" + names + "}:note", at.note),
      key("~holdfast:fence:*", at.fence),
      needed("+eval", {"EVAL", "return 1", "0"}),
      needed("+evalsha", {"EVALSHA", std::string(40, '0'), "0"}),
      needed("+time", {"TIME"}),
      needed("+get", {"GET", at.lock}),
      needed("+set", {"SET", at.lock, "x", "XX", "PX", "1"}),
      needed("+setrange", {"SETRANGE", at.fence, "0", ""}),
      needed("+del", {"DEL", at.lock}),
      needed("+exists", {"EXISTS", at.lock}),
      needed("+pexpire", {"PEXPIRE", at.lock, "1"}),
      needed("+pttl", {"PTTL", at.lock}),
      needed("+zadd", {"ZADD", at.waiters, "XX", "0", "x"}),
      needed("+zrem", {"ZREM", at.waiters, "x"}),
      needed("+zpopmin", {"ZPOPMIN", at.waiters}),
      needed("+zrange", {"ZRANGE", at.waiters, "0", "0"}),
      needed("+zscore", {"ZSCORE", at.waiters, "x"}),
      needed("+zrank", {"ZRANK", at.waiters, "x"}),
      needed("+zcard", {"ZCARD", at.waiters}),
      needed("+hget", {"HGET", at.seen, "x"}),
      needed("+hset", {"HSET", at.seen, "x", "x"}),
      needed("+hdel", {"HDEL", at.seen, "x"}),
  };
}

// For locks by transactions. Sent for real, these four would meddle with the transactions of others on the connection;
// INCR would leave a counter behind.
std::vector<right> without_scripts(const trial_ground& at) {
  const std::string names = at.prefix + "*";
  const auto asked = [](std::string word, std::vector<std::string> trial) {
    return right{std::move(word), need::needed, {}, std::move(trial), true};
  };
  return {
      needed("~" + names, {"GET", at.lock}),
      needed("~{" + names + "}:waiters", {"ZRANGE", at.waiters, "0", "0"}),
      needed("~{" + names + "}:note", {"DEL", at.note}),
      needed("~holdfast:fence:*", {"GET", at.fence}),
      asked("+watch", {"WATCH", at.lock}),
      asked("+unwatch", {"UNWATCH"}),
      asked("+multi", {"MULTI"}),
      asked("+exec", {"EXEC"}),
      needed("+get", {"GET", at.lock}),
      needed("+set", {"SET", at.lock, "x", "XX", "PX", "1"}),
      needed("+del", {"DEL", at.lock}),
      asked("+incr", {"INCR", at.fence}),
      needed("+time", {"TIME"}),
      needed("+pexpire", {"PEXPIRE", at.lock, "1"}),
      needed("+pttl", {"PTTL", at.lock}),
      needed("+zrange", {"ZRANGE", at.waiters, "0", "0"}),
  };
}

}  // namespace

std::vector<right> all_rights(const trial_ground& at, int database, std::string_view client_name, bool scripts) {
  std::vector<right> all = scripts ? with_scripts(at) : without_scripts(at);
  const std::string polls = "waiters poll instead of being handed the lock";
  const auto better = [&](std::string word, need how_much, std::string without, std::vector<std::string> trial) {
    all.push_back({std::move(word), how_much, std::move(without), std::move(trial)});
  };
  if (scripts) {
    better("&holdfast:inbox:*", need::messages, polls, {"PUBLISH", at.inbox, "0"});
    better("+publish", need::messages, polls, {"PUBLISH", at.inbox, "0"});
    better("+subscribe", need::messages, polls, {"SUBSCRIBE", at.inbox});
  }
  better("+ping", need::nicety, "refusals fill ACL LOG", {"PING"});
  better("+select", need::nicety, "only database 0", {"SELECT", std::to_string(database)});
  better("+client|setname", need::nicety, "CLIENT LIST shows no name", {"CLIENT", "SETNAME", std::string{client_name}});
  better("+info", need::nicety, "no warnings about the deployment", {"INFO", "server"});
  better("+type", need::nicety, "wrong_type does not say what is at the key", {"TYPE", at.lock});
  if (scripts) {
    const auto key = [&](const char* suffix, const std::string& tried, std::string without) {
      better("~{" + at.prefix + "*}" + suffix, need::nicety, std::move(without), {"EVAL", "return 1", "1", tried});
    };
    better("+zrangebyscore", need::nicety, "shared_mutex and semaphore are refused",
           {"ZRANGEBYSCORE", at.waiters, "0", "0"});
    better("+hgetall", need::nicety, "recursive_mutex, redisson_shared_mutex and on a quorum semaphore are refused",
           {"HGETALL", at.seen});
    key(":capacity", lock::capacity_key(at.lock), "semaphore is refused");
    key(":value", lock::value_key(at.lock), "cache is refused");
    key(":*:rwlock_timeout:*", lock::redisson_stem(at.lock) + ":x:1:rwlock_timeout:1",
        "redisson_shared_mutex is refused");
    key(":leader", lock::leader_key(at.lock), "elector is refused");
  }
  better("+client|kill", need::nicety, "a command that is stuck in a broken connection may still run later",
         {"CLIENT", "KILL", "ID", "9223372036854775807"});
  return all;
}

std::vector<right> cluster_rights(const trial_ground& at) {
  const auto sent = [](std::string word, std::vector<std::string> trial) {
    return right{std::move(word), need::needed, {}, std::move(trial), false, true};
  };
  const auto told = [](std::string word, std::string without, std::vector<std::string> trial) {
    return right{std::move(word), need::messages, std::move(without), std::move(trial)};
  };
  return {
      sent("+cluster|slots", {"CLUSTER", "SLOTS"}),
      sent("+asking", {"ASKING"}),
      told("+ssubscribe", "grants go over the bus to all nodes", {"SSUBSCRIBE", at.shard}),
      told("+spublish", "waiters poll instead of being handed the lock", {"SPUBLISH", at.shard, "0"}),
  };
}

std::vector<right> quorum_rights(const trial_ground& at) {
  const std::string seat{lock::seat_key};
  return {
      needed("~" + seat, {"EVAL", "return 1", "1", seat}),
      {"+info", need::needed, {}, {"INFO", "server"}, false, true},
      {"~{" + at.prefix + "*}:guard*",
       need::nicety,
       "latch and barrier are refused",
       {"EVAL", "return 1", "1", lock::guard_key(at.lock)}},
  };
}

std::vector<right> rights_on(deployment as, const trial_ground& at, int database, std::string_view client_name,
                             bool scripts) {
  std::vector<right> all = all_rights(at, database, client_name, scripts);
  std::vector<right> more;
  if (as == deployment::cluster) more = cluster_rights(at);
  if (as == deployment::quorum) more = quorum_rights(at);
  for (right& each : more) {
    std::erase_if(all, [&](const right& known) { return known.word == each.word; });  // it is more than a nicety there
    all.push_back(std::move(each));
  }
  return all;
}

verdict read_dryrun(const right& about, std::string_view answer) {
  return answer == "OK" ? verdict::allowed : read_complaint(about, answer);
}

verdict read_refusal(const right& about, std::string_view error) {
  const bool by_acl =
      error.starts_with("NOPERM") || has(error, "ACL failure") || has(error, "executing the script can't");
  return by_acl ? read_complaint(about, error) : verdict::allowed;  // whatever it is, it got past the ACL
}

}  // namespace holdfast::doctor
