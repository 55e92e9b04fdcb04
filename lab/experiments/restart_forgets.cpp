// A Redis that keeps nothing on disk is killed and started again while a lock is held.
#include <lab/experiment.hpp>
#include <lab/plain_lock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  place& redis = t.server("redis");
  actor& a = t.client("A");
  actor& b = t.client("B");

  const bool first = t.take(a, redis, set_if_absent(trial::owner(a), "30000"));
  t.kill(redis);
  t.restart(redis);
  const bool second = t.take(b, redis, set_if_absent(trial::owner(b), "30000"));

  t.expect("A takes the lock", true, first);
  t.expect("B takes it after the restart", true, second);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment restart_forgets() {
  return {"restart-forgets", "Redis is restarted without persistence while a lock is held",
          "The lock was in memory only. Persistence keeps it (restart-remembers); so does a pause of the longest ttl "
          "before the server is used again.",
          steps};
}

}  // namespace lab
