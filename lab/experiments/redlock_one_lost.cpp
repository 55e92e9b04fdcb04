// The library's quorum of five nodes, one of which is lost.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const losses seen = lose_nodes(t, 1);
  t.expect("what A is told while one node is lost", "granted", seen.a);
  t.expect("nodes that have A's lock", "4", seen.a_nodes);
  t.expect("what B is told", "held", seen.b);
  t.expect("live nodes that have a lock when A is done", "0", seen.left);
  t.expect("nodes that have C's lock when all are back", "5", seen.c_nodes);
  t.expect("what D is told when one node has lost its data", "held", seen.d);
  t.expect("nodes that have C's lock after C's next renewals", "5", seen.c_nodes_again);
  t.expect("C's lease in the end", "VALID", seen.c_lease);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment redlock_one_lost() {
  return {
      "redlock-one-lost", "one of five nodes of a quorum is lost: first dead, then back without its data",
      "Four votes are a majority. The node that forgot keeps silent until every lock that it may have forgotten has "
      "ended, and then learns C's from C.",
      steps};
}

}  // namespace lab
