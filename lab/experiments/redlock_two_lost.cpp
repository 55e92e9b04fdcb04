// Redlock on five nodes, two of which are lost.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const losses seen = lose_nodes(t, 2);
  t.expect("votes that A gets while two nodes are lost", "3", seen.a_votes);
  t.expect("A gets the lock", true, seen.a);
  t.expect("B gets it as well", false, seen.b);
  t.expect("keys left on the live nodes when A is done", "0", seen.left);
  t.expect("C gets the lock from all five", true, seen.c);
  t.expect("votes that D gets when two nodes have lost their data", "2", seen.d_votes);
  t.expect("D gets the lock while C works", false, seen.d);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment redlock_two_lost() {
  return {"redlock-two-lost", "two of five nodes are lost: one dead and one silent, then back without their data",
          "Three votes are just a majority; the silent node costs its time limit. Two nodes that forgot are none.",
          steps};
}

}  // namespace lab
