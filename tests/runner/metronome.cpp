#include "runner/metronome.hpp"

#include <sched.h>

#include <algorithm>

#include "support/boottime.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto interval = 5ms;

void pin_to(int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  ::sched_setaffinity(0, sizeof only, &only);  // of this thread; where that is forbidden it beats elsewhere
}

}  // namespace

metronome::metronome() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    beat& one = beats_.emplace_back();
    one.due = boottime_ns() + std::chrono::nanoseconds{interval}.count();
    one.thread = std::jthread{[&one, processor](const std::stop_token& stop) {
      pin_to(processor);
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(interval);
        const auto now = boottime_ns();
        one.latest = std::max(one.latest.load(), now - one.due.load());
        one.due = now + std::chrono::nanoseconds{interval}.count();
      }
    }};
  }
}

std::chrono::nanoseconds metronome::longest_pause() const {
  std::int64_t longest = 0;
  for (const beat& each : beats_) longest = std::max({longest, each.latest.load(), boottime_ns() - each.due.load()});
  return std::chrono::nanoseconds{longest};
}

void wait_for_calm(std::chrono::nanoseconds pause, std::chrono::seconds limit) {
  const auto end = boottime_ns() + std::chrono::nanoseconds{limit}.count();
  while (boottime_ns() < end) {
    const metronome watch;
    std::this_thread::sleep_for(500ms);
    if (watch.longest_pause() < pause) return;
  }
}

}  // namespace holdfast::test
