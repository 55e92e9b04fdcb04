// Redlock as it was published, with nothing to keep a node that forgot from voting: three of five come back empty.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>

namespace lab {
namespace {

struct ballot {
  bool held = false;
  std::string votes{};
};

ballot vote(trial& t, five_nodes& five, actor& who) {
  order wanted{"vote", trial::key, trial::owner(who), "20000", "500"};
  for (int i = 0; i < 5; ++i) wanted.push_back(five.node(i).process->socket());
  const answer told = t.order_of(who, wanted, "plain Redlock: SET NX PX 20000 on five nodes");
  const bool held = told.text() == "held";
  if (held) {
    t.believes(who, told.ended);
  } else {
    t.event(who, "refused", told.ended);
  }
  return {held, told.texts.at(1)};
}

void steps(trial& t) {
  five_nodes five{t};
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");

  const ballot first = vote(t, five, a);
  five.lose_data(2);
  const ballot second = vote(t, five, b);
  five.lose_data(3);
  const ballot third = vote(t, five, c);

  t.expect("A gets the lock, and so many votes", "5", first.held ? first.votes : "none");
  t.expect("votes that B gets when two nodes have lost their data", "2", second.votes);
  t.expect("B gets the lock while A works", false, second.held);
  t.expect("votes that C gets when three have lost their data", "3", third.votes);
  t.expect("C gets the lock while A works", true, third.held);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment redlock_unguarded() {
  return {"redlock-unguarded", "three nodes come back without their data, and vote again at once (plain Redlock)",
          "Together they are a majority that never heard of A. A node that has forgotten must keep silent until all "
          "that it forgot has ended, as the nodes of redlock-three-lost do.",
          steps};
}

}  // namespace lab
