// Where other libraries keep their locks: options that put ours on the same key, so that each excludes the other.
//
//   auto lease = redis.acquire("invoice:42", holdfast::presets::pottery({.wait = 5s}));   // the key redlock:invoice:42
//
//   preset                       key                     of
//   as_given()                   <name>                  redsync, redis-py, rslock, node-redlock, redlock-rb,
//                                                        bsm/redislock, DistributedLock
//   redlock_net(), pottery()     redlock:<name>          RedLock.net, pottery
//   python_redis_lock()          lock:<name>             python-redis-lock; wakes its waiters by lock-signal:<name>
//   spring(registry)             <registry>:<name>       Spring Integration's RedisLockRegistry
//   rueidislock()                rueidislock:0:<name>    rueidislock with KeyMajority 1
//   shedlock(environment)        job-lock:<env>:<name>   ShedLock, only with its safe update
//
// All of them set a string if it is absent and delete it if it has their value; so do we. Their releases tell us nothing:
// our first waiter looks every 25 to 75 ms. Ours tell python-redis-lock's waiters, which would otherwise sleep to the end
// of their own time; the other libraries poll. While somebody waits in our queue, a release hands over to it, and they
// hear nothing; to give them equal chances set `queue` to false. These are locks on one Redis: with several nodes, as in
// Redlock, exclusion holds only if all sides use the same nodes.
//
// Each takes the other options and changes only the prefix (and signal_prefix). For Redisson see recursive_mutex.hpp.
// Thread safety: pure functions.
#pragma once

#include <holdfast/options.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace holdfast::presets {

inline options with_prefix(std::string prefix, options how) {
  how.prefix = std::move(prefix);
  return how;
}

inline options as_given(options how = {}) { return with_prefix("", std::move(how)); }
inline options redlock_net(options how = {}) { return with_prefix("redlock:", std::move(how)); }
inline options pottery(options how = {}) { return with_prefix("redlock:", std::move(how)); }
inline options rueidislock(options how = {}) { return with_prefix("rueidislock:0:", std::move(how)); }

inline options python_redis_lock(options how = {}) {
  how.signal_prefix = "lock-signal:";
  return with_prefix("lock:", std::move(how));
}

// `registry`: the registry key that RedisLockRegistry was made with.
inline options spring(std::string_view registry, options how = {}) {
  return with_prefix(std::string{registry} + ":", std::move(how));
}

// `environment`: as given to RedisLockProvider; `default` if none was.
inline options shedlock(std::string_view environment, options how = {}) {
  return with_prefix("job-lock:" + std::string{environment} + ":", std::move(how));
}

}  // namespace holdfast::presets
