// Where one thread sleeps until another says go, once.
//
// Lives on the sleeper's stack. The waker's last touch is the store in wake(): the sleeper may return and the object may
// be gone before the wake-up call itself, which only uses the address. A condition variable cannot promise that, and
// would have to be signalled under the client's mutex, into which the woken thread would then run.
#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::runtime {

class parking {
 public:
  void wait() noexcept;
  void wake() noexcept;
  [[nodiscard]] bool woken() const noexcept { return go_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::uint32_t> go_{0};
};

}  // namespace holdfast::runtime
