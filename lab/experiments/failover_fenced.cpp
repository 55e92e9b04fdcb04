// The failover hazard with the library's fences: it happens, and the storage contains it.
#include <lab/experiment.hpp>
#include <lab/pair.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  place& storage = t.storage();
  pair both = start_pair(t);
  actor& a = t.client("A");
  actor& b = t.client("B");

  cut_off(t, both);
  const auto fence_a = t.acquire(a, both.primary.url(), {.ttl_ms = "30000"}).fence;
  const bool before = t.write(a, "A's first", fence_a);
  fail_over(t, both);
  const auto fence_b = t.acquire(b, both.replica.url(), {.ttl_ms = "30000"}).fence;
  const bool second = t.write(b, "B's", fence_b);
  const bool late = t.write(a, "A's second", fence_a);

  t.expect("A is granted the lock by the primary, B by the promoted replica", true, fence_a && fence_b);
  t.expect("two believe to hold it at once", true, t.overlapped());
  t.expect("the storage accepts A's write before the failover", true, before);
  t.expect("the storage accepts B's write after it", true, second);
  t.expect("the storage accepts A's write after B's", false, late);
  t.expect("what the storage has in the end", "B's", t.peek(storage, {"GET", "data"}));
}

}  // namespace

experiment failover_fenced() {
  return {"failover-fenced", "the same failover, and a storage that checks the fences",
          "The promoted replica never saw A's number. It draws a larger one all the same, because a fence is never "
          "smaller than the server's clock; A's later writes are refused.",
          steps};
}

}  // namespace lab
