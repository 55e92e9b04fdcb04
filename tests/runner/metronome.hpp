// Notices when the machine stands still: a hypervisor that gives its processors to somebody else for a tenth of a second
// looks to a test like a program that is late.
//
// One thread beats on each processor, since a virtual machine loses them one by one, and remembers the longest time by
// which a beat was late. A processor with much to do is no pause: whoever has slept goes first there.
// Thread safety: none; the threads inside are its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <thread>

namespace holdfast::test {

class metronome {
 public:
  metronome();

  // The longest pause of a processor so far, one that has not ended yet included.
  [[nodiscard]] std::chrono::nanoseconds longest_pause() const;

 private:
  struct beat {
    std::atomic<std::int64_t> due{0};  // when the next one should come, on CLOCK_BOOTTIME
    std::atomic<std::int64_t> latest{0};
    std::jthread thread{};  // last: it uses the others
  };

  std::list<beat> beats_;
};

// Waits until no processor has stood still for `pause` or longer during half a second; for `limit` at most.
void wait_for_calm(std::chrono::nanoseconds pause, std::chrono::seconds limit);

}  // namespace holdfast::test
