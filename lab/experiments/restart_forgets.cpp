// A Redis that keeps nothing on disk is killed and started again while a lock is held.
#include <lab/experiment.hpp>
#include <lab/restarted_server.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const restarted_server seen = restart_a_server(t);
  t.expect("A takes the lock", true, seen.a);
  t.expect("B takes it after the restart", true, seen.b);
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
