// The same step of a clock, on one of five nodes.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>
#include <lab/stepped_clock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const stepped_clock clock;
  five_nodes five{t, [&clock](int node) { return node == 0 ? clock.options() : backstage::server_options{}; }};
  actor& a = t.client("A");
  actor& b = t.client("B");

  std::string votes;
  const bool first = five.vote(a, votes);
  clock.step(t, five.node(0), 60);
  const bool second = five.vote(b, votes);

  t.expect("A takes the lock on five nodes, for 20 s", true, first);
  t.expect("votes that B gets after one clock has stepped by 60 s", "1", votes);
  t.expect("B gets the lock", false, second);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment clock_step_redlock() {
  return {"clock-step-redlock", "the same step, on one node of five",
          "One clock is one vote. When most of the nodes take the same step, from the same time server, it is the same "
          "accident as on one.",
          steps};
}

}  // namespace lab
