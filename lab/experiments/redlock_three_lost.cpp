// Redlock on five nodes, three of which are lost.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const losses seen = lose_nodes(t, 3);
  t.expect("votes that A gets while three nodes are lost", "2", seen.a_votes);
  t.expect("A gets the lock", false, seen.a);
  t.expect("B gets it as well", false, seen.b);
  t.expect("keys left on the live nodes when A is done", "0", seen.left);
  t.expect("C gets the lock from all five", true, seen.c);
  t.expect("votes that D gets when three nodes have lost their data", "3", seen.d_votes);
  t.expect("D gets the lock while C works", true, seen.d);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment redlock_three_lost() {
  return {
      "redlock-three-lost", "three of five nodes are lost: first dead, then back without their data",
      "Without a majority nobody gets the lock, which is safe. Nodes that come back empty and vote again at once are "
      "not: together they are a majority that never heard of C. They must keep silent for the longest ttl first.",
      steps};
}

}  // namespace lab
