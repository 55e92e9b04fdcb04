// The first version of the ladder: SETNX, work, DEL. Its holder dies between the two.
#include <lab/experiment.hpp>

#include <backstage/interrupts.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  place& redis = t.server("redis");
  actor& a = t.client("A");
  actor& b = t.client("B");

  const words setnx{"SETNX", trial::key, "111"};
  const answer told = t.order_of(a, trial::raw_order(redis, setnx), "SETNX lock 111");
  const bool first = told.text() == "1";
  if (first) t.believes(a, told.ended);
  t.kill(a);

  bool got = false;
  for (int tries = 0; tries < 5; ++tries) {
    got = t.ask(b, redis, setnx) == "1" || got;
    backstage::pause_for(std::chrono::milliseconds{100});  // the article's pause between two tries
  }
  t.expect("A takes the lock", true, first);
  t.expect("B gets it after A has died", false, got);
  t.expect("the server will free it by itself (PTTL; -1: never)", "-1", t.peek(redis, {"PTTL", trial::key}));
}

}  // namespace

experiment no_expiry() {
  return {
      "no-expiry", "version 1: a lock without an expiry, and its holder dies",
      "Nobody but the dead can delete the key, so everybody waits for ever. A lock needs an expiry, set in the same "
      "step that takes it.",
      steps};
}

}  // namespace lab
