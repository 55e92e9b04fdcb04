// The same step of a clock, on one of the five nodes of the library's quorum.
#include <lab/experiment.hpp>
#include <lab/five_nodes.hpp>
#include <lab/stepped_clock.hpp>

namespace lab {
namespace {

std::string expired_at(trial& t, place& where) {
  constexpr std::string_view head = "expired_keys:";
  const std::string all = t.peek(where, {"INFO", "stats"});
  const auto from = all.find(head) + head.size();
  return all.substr(from, all.find('\r', from) - from);
}

void steps(trial& t) {
  const stepped_clock clock;
  five_nodes five{t, [&clock](int node) { return node == 0 ? clock.options() : backstage::server_options{}; }};
  actor& a = t.client("A");
  actor& b = t.client("B");
  five.come_of_age();

  const grant first = t.acquire(a, five.url(), {.ttl_ms = five_nodes::ttl_ms, .renew = true});
  const std::string everywhere = five.await_nodes(a, 5);
  const std::string before = expired_at(t, five.node(0));
  clock.step(t, five.node(0), 60);
  const grant second = t.acquire(b, five.url(), {.ttl_ms = five_nodes::ttl_ms, .wait_ms = "0"});
  const std::string again = five.await_nodes(a, 5);
  const std::string lease = t.order_of(a, {"look"}, "looks at its lease").text();

  t.expect("A gets the lock, on so many nodes", "5", first ? everywhere : first.told);
  t.expect("node 1 ends A's lock when its clock has stepped by 60 s", true, expired_at(t, five.node(0)) != before);
  t.expect("what B is told", "held", second.told);
  t.expect("nodes that have A's lock after A's next renewals", "5", again);
  t.expect("A's lease in the end", "VALID", lease);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment clock_step_redlock() {
  return {"clock-step-redlock", "the same step, on one node of a quorum of five",
          "One clock is one vote. When most of the nodes take the same step, from the same time server, it is the same "
          "accident as on one.",
          steps};
}

}  // namespace lab
