#include "paused_holder.hpp"

namespace lab {

paused_holder pause_a_holder(trial& t, bool fenced) {
  place& redis = t.server("redis");
  place& storage = t.storage();
  actor& a = t.client("A");
  actor& b = t.client("B");
  paused_holder seen;
  const auto shown = [fenced](const std::optional<std::string>& fence) { return fenced ? fence : std::nullopt; };

  const auto fence_a = t.acquire(a, redis.url(), {.ttl_ms = "400", .renew = true}).fence;
  t.pause(a);
  // Given while it stands: the next thing that it does when it runs again.
  a.tell(trial::raw_order(storage, trial::write_command("A's", shown(fence_a))));

  const auto fence_b = t.acquire(b, redis.url(), {.ttl_ms = "30000", .renew = true}).fence;
  seen.both = fence_a && fence_b;
  seen.b_accepted = t.write(b, "B's", shown(fence_b));
  t.resume(a);
  seen.a_accepted = t.note_write(a, a.hear(), shown(fence_a));
  const answer look = t.order_of(a, {"look"}, "looks at its lease");
  t.believes_no_more(a, look.ended);
  seen.a_lease = look.text();
  seen.data = t.peek(storage, {"GET", "data"});
  return seen;
}

}  // namespace lab
