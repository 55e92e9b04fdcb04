#include "runtime/descriptors.hpp"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace holdfast::runtime {
namespace {

int checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error{errno, std::generic_category(), what};
  return fd;
}

}  // namespace

wake_signal::wake_signal() : fd_{checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")} {}
wake_signal::~wake_signal() { close(fd_); }

void wake_signal::raise() const noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = write(fd_, &one, sizeof one);
}

void wake_signal::lower() const noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t ignored = read(fd_, &count, sizeof count);
}

alarm_clock::alarm_clock()
    : fd_{checked(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")} {}
alarm_clock::~alarm_clock() { close(fd_); }

// Setting an absolute time also clears an earlier expiry, so the descriptor never has to be read.
void alarm_clock::set(time_point when) noexcept {
  if (when == set_ && when > boot_clock::now()) return;
  set_ = when;
  itimerspec at{};
  if (when < never) {
    // An all-zero time would switch the alarm off; one in the past goes off at once, which is what is meant.
    const auto since = std::max(when.time_since_epoch(), duration{1});
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
    at.it_value.tv_sec = whole.count();
    at.it_value.tv_nsec = (since - whole).count();
  }
  timerfd_settime(fd_, TFD_TIMER_ABSTIME, &at, nullptr);
}

}  // namespace holdfast::runtime
