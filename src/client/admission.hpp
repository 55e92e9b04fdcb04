// Admits one thread of this process at a time through a Lockable object, before the server is asked: threads that share
// the object do not queue against one another there, and a thread whose lease was lost still keeps the others out until
// it unlocks. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace holdfast::detail {

class admission {
 public:
  // False: the limit passed, or `stop` was requested. `limit` none: as long as it takes.
  bool enter(std::optional<std::chrono::nanoseconds> limit, const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    const auto is_open = [this] { return !inside_; };
    if (!(limit ? opened_.wait_for(lock, stop, *limit, is_open) : opened_.wait(lock, stop, is_open))) return false;
    inside_ = true;
    return true;
  }

  void leave() noexcept {
    {
      const std::lock_guard lock{mutex_};
      inside_ = false;
    }
    opened_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool inside_ = false;
};

}  // namespace holdfast::detail
