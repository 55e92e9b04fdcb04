// Everything that is to happen later, in one heap: renewals, deadlines, heartbeats, time limits, reconnects.
//
// A timer is a member of what it serves and knows its own place in the heap, so that moving and cancelling it costs
// O(log n) and no entry is ever left behind when its owner is gone (the defect D4: stale entries that are renewed for ever).
// Not thread-safe: the client's mutex guards it. `fire` is called by whoever runs the queue, with that mutex held.
#pragma once

#include "runtime/clock.hpp"

#include <cstddef>
#include <vector>

namespace holdfast::runtime {

class timer {
 public:
  timer() = default;
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  virtual void fire(time_point now) = 0;
  [[nodiscard]] bool scheduled() const noexcept { return place_ != nowhere; }

 protected:
  ~timer() = default;  // the owner cancels before it goes

 private:
  friend class timer_queue;
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  time_point due_{};
  std::size_t place_ = nowhere;
};

class timer_queue {
 public:
  // Schedules, or moves what is scheduled already; `never` cancels.
  void schedule(timer& what, time_point due);
  void cancel(timer& what) noexcept;

  // When the first is due; `never` without any.
  [[nodiscard]] time_point next() const noexcept { return heap_.empty() ? never : heap_.front()->due_; }

  // Takes out and returns the first timer if it is due.
  timer* pop_due(time_point now) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

 private:
  void put(std::size_t place, timer* what) noexcept;
  void rise(std::size_t place) noexcept;
  void sink(std::size_t place) noexcept;
  std::vector<timer*> heap_;
};

}  // namespace holdfast::runtime
