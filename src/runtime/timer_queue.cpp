#include "runtime/timer_queue.hpp"

#include <utility>

namespace holdfast::runtime {

void timer_queue::put(std::size_t place, timer* what) noexcept {
  heap_[place] = what;
  what->place_ = place;
}

void timer_queue::rise(std::size_t place) noexcept {
  timer* moving = heap_[place];
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (heap_[parent]->due_ <= moving->due_) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, moving);
}

void timer_queue::sink(std::size_t place) noexcept {
  timer* moving = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->due_ < heap_[child]->due_) ++child;
    if (moving->due_ <= heap_[child]->due_) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, moving);
}

void timer_queue::schedule(timer& what, time_point due) {
  if (due >= never) return cancel(what);
  if (!what.scheduled()) {
    heap_.push_back(&what);
    what.place_ = heap_.size() - 1;
  }
  what.due_ = due;
  rise(what.place_);
  sink(what.place_);
}

void timer_queue::cancel(timer& what) noexcept {
  if (!what.scheduled()) return;
  const std::size_t place = std::exchange(what.place_, timer::nowhere);
  timer* last = heap_.back();
  heap_.pop_back();
  if (last == &what) return;
  put(place, last);
  rise(place);
  sink(last->place_);
}

timer* timer_queue::pop_due(time_point now) noexcept {
  if (heap_.empty() || heap_.front()->due_ > now) return nullptr;
  timer* first = heap_.front();
  cancel(*first);
  return first;
}

}  // namespace holdfast::runtime
