// Two descriptors that make a thread in poll(2) return: by another thread's wish, or at a time.
#pragma once

#include "runtime/clock.hpp"

namespace holdfast::runtime {

// An eventfd. Any thread may raise it; the one that polls lowers it.
class wake_signal {
 public:
  wake_signal();
  ~wake_signal();
  wake_signal(const wake_signal&) = delete;
  wake_signal& operator=(const wake_signal&) = delete;
  void raise() const noexcept;
  void lower() const noexcept;
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

// A timerfd on CLOCK_BOOTTIME. poll's own time-out stands still while the machine sleeps; this does not.
class alarm_clock {
 public:
  alarm_clock();
  ~alarm_clock();
  alarm_clock(const alarm_clock&) = delete;
  alarm_clock& operator=(const alarm_clock&) = delete;
  void set(time_point when) noexcept;
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
  time_point set_ = never;
};

}  // namespace holdfast::runtime
