// The last scene: what the recorded history proves.
#include "scenes.hpp"

namespace demo {

bool sum_up(stage& on, sprint_range measured, bool told) {
  const auto handoffs = on.book.handoffs(measured.from, measured.to);
  const int overlaps = on.book.overlaps();
  const int regressions = on.book.fence_regressions();

  on.out.section("Summary of " + std::to_string(on.book.holds().size()) + " holds");
  const auto text = [](std::int64_t value) { return duration_text(value, false); };
  on.out.verdict(!handoffs.empty(), "hand-off",
                 "p50 " + text(quantile(handoffs, 0.5)) + ", p99 " + text(quantile(handoffs, 0.99)) +
                     " from the release call to the next owner's return, over " + std::to_string(handoffs.size()));
  on.out.verdict(overlaps == 0, "overlaps", std::to_string(overlaps));
  on.out.verdict(regressions == 0, "fences", regressions == 0 ? "strictly increasing" : "went back");
  on.out.verdict(told, "stopped holder", told ? "saw the loss first" : "went on as if nothing had happened");
  return overlaps == 0 && regressions == 0 && told && !handoffs.empty();
}

}  // namespace demo
