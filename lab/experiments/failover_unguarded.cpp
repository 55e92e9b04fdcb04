// The failover hazard: the primary dies before the lock has reached the replica, which is then promoted.
#include <lab/experiment.hpp>
#include <lab/pair.hpp>
#include <lab/plain_lock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  pair both = start_pair(t);
  actor& a = t.client("A");
  actor& b = t.client("B");

  cut_off(t, both);
  const bool first = t.take(a, both.primary, set_if_absent(trial::owner(a), "30000"));
  fail_over(t, both);
  const bool second = t.take(b, both.replica, set_if_absent(trial::owner(b), "30000"));

  t.expect("A takes the lock at the primary", true, first);
  t.expect("B takes it at the promoted replica", true, second);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment failover_unguarded() {
  return {"failover-unguarded", "the primary dies before the lock has reached the replica",
          "Replication is asynchronous: OK means that one server has it. With that server the lock is gone, and its "
          "holder does not know.",
          steps};
}

}  // namespace lab
