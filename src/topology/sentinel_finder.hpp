// Finds the primary by asking the Sentinels, and hears of it when they choose another.
//
// Place: behind the connection of a redis+sentinel:// deployment. It has a thread of its own, which keeps a link to every
// Sentinel (sentinel_link.hpp): none of them, dead or slow, ever stands in the way of a call or of another Sentinel.
// Listening to all and not to one: a Sentinel that is cut off together with an old primary hears of nothing.
// What their words amount to is decided by sentinel_choice.hpp.
//
// Thread safety: as net::finder. The mutex here guards what both threads see; it is never held around I/O or `wake`.
#pragma once

#include "net/finder.hpp"
#include "runtime/descriptors.hpp"
#include "topology/sentinel_choice.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace holdfast::topology {

class sentinel_finder final : public net::finder {
 public:
  explicit sentinel_finder(const settings& how);
  ~sentinel_finder() override;

  void start(std::function<void()> wake) override;
  [[nodiscard]] std::optional<result<net::found>> poll() override;
  [[nodiscard]] bool outdated() override;
  [[nodiscard]] bool may_be_wrong() const noexcept override { return true; }
  [[nodiscard]] std::string unfinished() const override;

 private:
  void run();
  void tell();

  const settings& how_;

  std::mutex mutex_;
  sentinel_choice choice_;      // guarded by mutex_
  std::function<void()> tell_;  // guarded by mutex_
  bool asked_ = false;          // guarded by mutex_: the thread has to pass the question on
  bool ending_ = false;         // guarded by mutex_
  std::atomic<bool> outdated_ = false;

  std::optional<endpoint> found_;  // being resolved
  net::resolver resolver_;

  runtime::wake_signal wake_;
  std::thread thread_;
};

}  // namespace holdfast::topology
