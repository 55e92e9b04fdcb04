// The failover hazard, and a client of the library that asks for one replica (options::replicas) before it relies on its
// lock. Twice: with a replica that is cut off, and with one that is not.
#include <lab/experiment.hpp>
#include <lab/pair.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  pair both = start_pair(t);
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");
  const wish replicated{.ttl_ms = "30000", .replicas = "1"};

  cut_off(t, both);
  const grant first = t.acquire(a, both.primary.url(), replicated);
  const std::string left = t.peek(both.primary, {"EXISTS", trial::key});
  t.thaw(both.replica);
  t.await(both.replica, {"INFO", "replication"}, "master_link_status:up");
  t.await(both.primary, {"INFO", "replication"}, "state=online");
  t.note("replica", "is connected again");

  const grant second = t.acquire(b, both.primary.url(), replicated);
  fail_over(t, both);
  const grant third = t.acquire(c, both.replica.url(), {.ttl_ms = "30000", .wait_ms = "0"});

  t.expect("what A is told while the replica is cut off", "not_replicated", first.told);
  t.expect("keys that A's try leaves at the primary", "0", left);
  t.expect("what B is told when the replica is connected", "granted", second.told);
  t.expect("what C is told at the promoted replica while B works", "held", third.told);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment failover_wait() {
  return {"failover-wait",
          "the same failover, and clients that ask for one replica before they rely on the lock (replicas = 1)",
          "A lock that no replica has is given back, and one that the replica has survives the failover. Which replica "
          "is promoted when there are several, waiting for one does not decide: ask for a majority, and fence.",
          steps};
}

}  // namespace lab
