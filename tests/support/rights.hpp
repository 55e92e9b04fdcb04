// The rights of an ACL user, as docs/operate.md lists them for operators. One list for all tests that take some away.
#pragma once

#include <string>
#include <vector>

namespace holdfast::test {

// For locks whose names start with "app:".
inline const std::vector<std::string> needed_rights{
    "~app:*",
    "~{app:*}:waiters",
    "~{app:*}:seen",
    "~{app:*}:note",
    "~holdfast:fence:*",
    "+eval",
    "+evalsha",
    "+time",
    "+get",
    "+set",
    "+setrange",
    "+del",
    "+exists",
    "+pexpire",
    "+pttl",
    "+zadd",
    "+zrem",
    "+zpopmin",
    "+zrange",
    "+zscore",
    "+zrank",
    "+hget",
    "+hset",
    "+hdel",
    "+zcard",
};
// Hand-off by message (without: polling), the probe of an idle link, names in CLIENT LIST, warnings about the
// deployment, closing of a dead connection's server side, the name of what is at a key of the wrong type.
inline const std::vector<std::string> optional_rights{
    "&holdfast:inbox:*", "+subscribe",   "+publish", "+ping", "+select",
    "+client|setname",   "+client|kill", "+info",    "+type",
};
// What primitives beyond the mutex need: shared_mutex, recursive_mutex, semaphore, cache, elector.
inline const std::vector<std::string> family_rights{
    "+zrangebyscore", "+hgetall",        "~{app:*}:capacity",
    "~{app:*}:value", "~{app:*}:leader", "~{app:*}:*:rwlock_timeout:*",
};

// On every node of a quorum, beside needed_rights.
inline const std::vector<std::string> quorum_rights{"~holdfast:quorum", "+info", "~{app:*}:guard*"};

// On every node of a Redis Cluster, beside needed_rights; and for hand-offs by message there.
inline const std::vector<std::string> cluster_rights{"+cluster|slots", "+asking"};
inline const std::vector<std::string> cluster_message_rights{"+ssubscribe", "+spublish"};

// With scripts = off: all that this mode needs, and nothing of scripting.
inline const std::vector<std::string> rights_without_scripts{
    "~app:*",        "~{app:*}:waiters",
    "~{app:*}:note", "~holdfast:fence:*",
    "+watch",        "+unwatch",
    "+multi",        "+exec",
    "+get",          "+set",
    "+del",          "+incr",
    "+time",         "+pexpire",
    "+pttl",         "+zrange",
};

}  // namespace holdfast::test
