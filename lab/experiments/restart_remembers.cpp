// The same restart with an append-only file, flushed once a second as is the default.
#include <lab/experiment.hpp>
#include <lab/plain_lock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  place& redis = t.server("redis", {.settings = {"--appendonly", "yes", "--appendfsync", "everysec"}});
  actor& a = t.client("A");
  actor& b = t.client("B");

  const bool first = t.take(a, redis, set_if_absent(trial::owner(a), "30000"));
  t.kill(redis);
  t.restart(redis);
  const bool second = t.take(b, redis, set_if_absent(trial::owner(b), "30000"));

  t.expect("A takes the lock", true, first);
  t.expect("B takes it after the restart", false, second);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment restart_remembers() {
  return {"restart-remembers", "the same restart with an append-only file",
          "The command was written to the file before A had its answer, and a file outlives the process. It does not "
          "outlive the machine before it is flushed: for that, appendfsync always.",
          steps};
}

}  // namespace lab
