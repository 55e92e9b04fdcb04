// The second version: an expiry, but everybody writes the same value. A slow holder deletes another's lock.
#include <lab/experiment.hpp>
#include <lab/plain_lock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  place& redis = t.server("redis");
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");

  const bool first = t.take(a, redis, set_if_absent("111", "1000"));
  t.pause(a);
  t.await_free(redis);
  const bool second = t.take(b, redis, set_if_absent("111", "30000"));
  t.resume(a);
  const std::string deleted = t.give(a, redis, {"DEL", trial::key});
  const bool third = t.take(c, redis, set_if_absent("111", "30000"));

  t.expect("A takes the lock, and B after its expiry", true, first && second);
  t.expect("A, late, deletes a lock (DEL)", "1", deleted);
  t.expect("C gets the lock while B works", true, third);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment no_owner() {
  return {"no-owner", "version 2: a lock without an owner, and its holder is slow",
          "A's DEL cannot tell whose lock it deletes: it was B's. Every acquisition needs an id of its own, and only "
          "that id may release.",
          steps};
}

}  // namespace lab
