// A paused holder, and a storage that takes every write.
#include <lab/experiment.hpp>
#include <lab/paused_holder.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const paused_holder seen = pause_a_holder(t, false);
  t.expect("A gets the lock, and B when A's lease has ended", true, seen.both);
  t.expect("the storage accepts B's write", true, seen.b_accepted);
  t.expect("the storage accepts A's write, after the pause", true, seen.a_accepted);
  t.expect("what the storage has in the end", "A's", seen.data);
  t.expect("A's first look at its lease", "LOST", seen.a_lease);
  t.expect("two believe to hold it at once", true, t.overlapped());
}

}  // namespace

experiment paused_unfenced() {
  return {"paused-unfenced", "a holder is paused past its lease, and writes to a storage that knows no fences",
          "B's update is lost. The lease had told the loss at the first look, but between any look and the write that "
          "follows it a process can be paused.",
          steps};
}

}  // namespace lab
