#include "runtime/callback_thread.hpp"

#include "runtime/quiet_thread.hpp"

#include <optional>
#include <thread>

namespace holdfast::runtime {

struct callback_thread::shared {
  std::mutex guard;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool ending = false;
  std::optional<std::thread> thread;

  static void serve(const std::shared_ptr<shared>& self) {
    std::unique_lock lock{self->guard};
    for (;;) {
      self->changed.wait(lock, [&] { return self->ending || !self->queue.empty(); });
      if (self->queue.empty()) return;
      auto next = std::move(self->queue.front());
      self->queue.pop_front();
      lock.unlock();
      next();
      next = nullptr;  // what it captured goes without the lock, too
      lock.lock();
    }
  }
};

callback_thread::callback_thread() : shared_{std::make_shared<shared>()} {}

void callback_thread::run(std::function<void()> what) {
  const std::lock_guard lock{shared_->guard};
  shared_->queue.push_back(std::move(what));
  if (!shared_->thread) shared_->thread = start_quiet_thread([self = shared_] { shared::serve(self); });
  shared_->changed.notify_one();
}

callback_thread::~callback_thread() {
  std::optional<std::thread> thread;
  {
    const std::lock_guard lock{shared_->guard};
    shared_->ending = true;
    thread.swap(shared_->thread);
    shared_->changed.notify_one();
  }
  if (!thread) return;
  if (thread->get_id() == std::this_thread::get_id()) {
    thread->detach();  // a callback destroyed the last owner: a thread cannot wait for itself (D6)
  } else {
    thread->join();
  }
}

}  // namespace holdfast::runtime
