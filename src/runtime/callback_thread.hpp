// Runs what users gave us to run: loss callbacks and stop callbacks. They may block or call back into the library, so they
// get a thread of their own, started with the first of them; the thread that renews leases never waits for a user.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace holdfast::runtime {

class callback_thread {
 public:
  callback_thread();
  callback_thread(const callback_thread&) = delete;
  callback_thread& operator=(const callback_thread&) = delete;
  // Runs what is still queued, then ends; waits for that unless called from one of the callbacks.
  ~callback_thread();

  void run(std::function<void()> what);

 private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

}  // namespace holdfast::runtime
