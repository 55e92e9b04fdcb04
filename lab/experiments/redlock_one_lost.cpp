// Redlock on five nodes, one of which is lost.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const losses seen = lose_nodes(t, 1);
  t.expect("votes that A gets while one node is lost", "4", seen.a_votes);
  t.expect("A gets the lock", true, seen.a);
  t.expect("B gets it as well", false, seen.b);
  t.expect("keys left on the live nodes when A is done", "0", seen.left);
  t.expect("C gets the lock from all five", true, seen.c);
  t.expect("votes that D gets when one node has lost its data", "1", seen.d_votes);
  t.expect("D gets the lock while C works", false, seen.d);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment redlock_one_lost() {
  return {"redlock-one-lost", "one of five nodes is lost: first dead, then back without its data",
          "Four votes are a majority, and the one node that forgot is none.", steps};
}

}  // namespace lab
