// The library's quorum of five nodes, two of which are lost.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const losses seen = lose_nodes(t, 2);
  t.expect("what A is told while two nodes are lost", "granted", seen.a);
  t.expect("nodes that have A's lock", "3", seen.a_nodes);
  t.expect("what B is told", "held", seen.b);
  t.expect("live nodes that have a lock when A is done", "0", seen.left);
  t.expect("nodes that have C's lock when all are back", "5", seen.c_nodes);
  t.expect("what D is told when two nodes have lost their data", "held", seen.d);
  t.expect("nodes that have C's lock after C's next renewals", "5", seen.c_nodes_again);
  t.expect("C's lease in the end", "VALID", seen.c_lease);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment redlock_two_lost() {
  return {
      "redlock-two-lost",
      "two of five nodes of a quorum are lost: one dead and one silent, then back without their data",
      "Three votes are just a majority, and nobody waits for the silent node. The two that forgot keep silent until "
      "every lock that they may have forgotten has ended.",
      steps};
}

}  // namespace lab
