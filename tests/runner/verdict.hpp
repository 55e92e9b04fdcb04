// What the end of a test is worth. Many tests say "not later than": bounds that a user would want, and that the test must
// not soften because machines are sometimes unsteady. So the bounds stay, and a failure is void if a processor stood still
// for long enough to have caused it: the test runs again. A failure without such a pause counts at once, and so does the
// last of the runs, whatever the machine did: a test that fails for another reason fails.
#pragma once

#include <chrono>

namespace holdfast::test {

enum class verdict { passed, failed, again };

// A machine that stands still does so for seconds on end, again and again; three runs in a row have all been void.
inline constexpr int most_runs = 8;
// Half of the tightest bound in the tests (100 ms from a deadline to its signal).
inline constexpr std::chrono::milliseconds pause_that_matters{50};

[[nodiscard]] constexpr verdict judge(bool passed, std::chrono::nanoseconds longest_pause, int run) {
  if (passed) return verdict::passed;
  return longest_pause >= pause_that_matters && run < most_runs ? verdict::again : verdict::failed;
}

}  // namespace holdfast::test
