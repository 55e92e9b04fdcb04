// A paused holder, and a storage that refuses a fence smaller than one it has seen.
#include <lab/experiment.hpp>
#include <lab/paused_holder.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const paused_holder seen = pause_a_holder(t, true);
  t.expect("A gets the lock, and B when A's lease has ended", true, seen.both);
  t.expect("the storage accepts B's write", true, seen.b_accepted);
  t.expect("the storage accepts A's write, after the pause", false, seen.a_accepted);
  t.expect("what the storage has in the end", "B's", seen.data);
  t.expect("A's first look at its lease", "LOST", seen.a_lease);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment paused_fenced() {
  return {"paused-fenced", "the same pause, and a storage that refuses a fence smaller than one it has seen",
          "A still believes, and cannot do harm: each grant has a larger number than the one before, and the storage "
          "remembers the largest.",
          steps};
}

}  // namespace lab
