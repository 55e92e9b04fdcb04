// The fourth version: expiry, owner, and a script that checks and deletes in one step; under the schedules that broke
// the other three.
#include <lab/experiment.hpp>
#include <lab/plain_lock.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  place& redis = t.server("redis");
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");
  actor& d = t.client("D");

  // Version 1's: the holder dies.
  const bool first = t.take(a, redis, set_if_absent(trial::owner(a), "1000"));
  t.kill(a);
  t.await_free(redis);
  const std::string owner_b = trial::owner(b);
  const bool after_death = t.take(b, redis, set_if_absent(owner_b, "1000"));

  // Version 2's and 3's: the holder is paused just before it releases, past its expiry.
  t.pause(b);
  t.await_free(redis);
  const std::string owner_c = trial::owner(c);
  const bool after_pause = t.take(c, redis, set_if_absent(owner_c, "30000"));
  t.resume(b);
  const std::string late = t.give(b, redis, delete_if_mine(owner_b));
  const bool third = t.take(d, redis, set_if_absent(trial::owner(d), "30000"));
  const std::string in_time = t.give(c, redis, delete_if_mine(owner_c));

  t.expect("B gets the lock after A has died", true, first && after_death);
  t.expect("C gets it when B's has expired", true, after_pause);
  t.expect("B, late, deletes a lock (script)", "0", late);
  t.expect("D gets the lock while C works", false, third);
  t.expect("C deletes its own lock (script)", "1", in_time);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment compare_and_delete() {
  return {"compare-and-delete", "version 4: check and delete in one step, under the schedules that broke the others",
          "No lock is lost to another's release. That B still believed to hold what C had is left: an expiry ends the "
          "lock, not the work. See paused-unfenced.",
          steps};
}

}  // namespace lab
