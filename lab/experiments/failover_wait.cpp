// The failover hazard, and a client that asks how many replicas have its lock before it relies on it. Twice: with a
// replica that is cut off, and with one that is not.
#include <lab/experiment.hpp>
#include <lab/pair.hpp>
#include <lab/plain_lock.hpp>

namespace lab {
namespace {

// SET, then WAIT on the same connection; with fewer replicas than wanted the lock is given back.
bool take_and_wait(trial& t, actor& who, place& where) {
  const std::string mine = trial::owner(who);
  if (t.ask(who, where, set_if_absent(mine, "30000")) != "OK") return false;
  const answer told = t.order_of(who, trial::raw_order(where, {"WAIT", "1", "200"}), "WAIT 1 200");
  if (told.text() == "1") {
    t.believes(who, told.ended);
    return true;
  }
  t.ask(who, where, delete_if_mine(mine));
  return false;
}

void steps(trial& t) {
  pair both = start_pair(t);
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");

  cut_off(t, both);
  const bool alone = take_and_wait(t, a, both.primary);
  t.thaw(both.replica);
  t.await(both.replica, {"INFO", "replication"}, "master_link_status:up");
  t.await(both.primary, {"INFO", "replication"}, "state=online");
  t.note("replica", "is connected again");

  const bool replicated = take_and_wait(t, b, both.primary);
  fail_over(t, both);
  const bool after = t.take(c, both.replica, set_if_absent(trial::owner(c), "30000"));

  t.expect("A gets the lock while the replica is cut off", false, alone);
  t.expect("B gets it when the replica is connected", true, replicated);
  t.expect("C gets it at the promoted replica while B works", false, after);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment failover_wait() {
  return {"failover-wait",
          "the same failover, and a client that waits for the replica (WAIT) before it relies on the lock",
          "A lock that no replica has is given back, and one that the replica has survives the failover. Which replica "
          "is promoted when there are several, WAIT does not decide.",
          steps};
}

}  // namespace lab
