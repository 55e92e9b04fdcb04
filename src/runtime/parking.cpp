#include "runtime/parking.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::runtime {

void parking::wait() noexcept {
  while (!woken()) {
    syscall(SYS_futex, &go_, FUTEX_WAIT_PRIVATE, 0U, nullptr, nullptr, 0);
  }
}

void parking::wake() noexcept {
  auto* address = &go_;
  go_.store(1, std::memory_order_release);
  syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace holdfast::runtime
