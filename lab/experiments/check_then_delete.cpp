// The third version: an owner that is checked before the delete, in two steps. The lock changes hands between them.
#include <lab/experiment.hpp>
#include <lab/plain_lock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  place& redis = t.server("redis");
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");

  const std::string mine = trial::owner(a);
  const bool first = t.take(a, redis, set_if_absent(mine, "1000"));
  const bool checked = t.ask(a, redis, {"GET", trial::key}) == mine;
  t.pause(a);  // in the gap: the check has passed, the DEL is not sent yet
  t.await_free(redis);
  const bool second = t.take(b, redis, set_if_absent(trial::owner(b), "30000"));
  t.resume(a);
  const std::string deleted = t.give(a, redis, {"DEL", trial::key});
  const bool third = t.take(c, redis, set_if_absent(trial::owner(c), "30000"));

  t.expect("A's check says that the lock is its own", true, first && checked);
  t.expect("B takes it after its expiry", true, second);
  t.expect("A, late, deletes B's lock (DEL)", "1", deleted);
  t.expect("C gets the lock while B works", true, third);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment check_then_delete() {
  return {"check-then-delete",
          "version 3: the owner is checked, then the lock deleted, and it changes hands in between",
          "What GET said was true, and is not any more when DEL arrives. Check and delete have to be one step on the "
          "server.",
          steps};
}

}  // namespace lab
