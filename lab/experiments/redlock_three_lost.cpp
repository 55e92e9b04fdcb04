// The library's quorum of five nodes, three of which are lost.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const losses seen = lose_nodes(t, 3);
  t.expect("what A is told while three nodes are lost", "unreachable", seen.a);
  t.expect("what B is told", "unreachable", seen.b);
  t.expect("live nodes that have a lock when both have tried", "0", seen.left);
  t.expect("nodes that have C's lock when all are back", "5", seen.c_nodes);
  // Whichever answers come first: of those that still have C's lock, or of those that keep silent.
  t.expect("D is refused when three nodes have lost their data", true, seen.d == "held" || seen.d == "server_busy");
  t.expect("C's lease in the end", "LOST", seen.c_lease);
  t.expect("what D is told after waiting", "granted", seen.d_later);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment redlock_three_lost() {
  return {"redlock-three-lost", "three of five nodes of a quorum are lost: first dead, then back without their data",
          "Without a majority nobody gets the lock. The three that forgot keep silent for the longest ttl (max_ttl): C "
          "cannot renew, and is told before D can have the lock. redlock-unguarded shows what happens otherwise.",
          steps};
}

}  // namespace lab
