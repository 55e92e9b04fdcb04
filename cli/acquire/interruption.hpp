// INT, TERM and HUP as a stop_token: so that a wait in the queue ends in order instead of with the process.
//
// Make it before any other thread, which inherits that the signals are blocked. A further signal while the first is being
// served changes nothing. Thread safety: the token is anybody's; number() is too.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace holdfast::cli {

class interruption {
 public:
  interruption();
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  // The signal that came, or 0.
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  void watch();

  sigset_t before_{};
  int signals_ = -1;
  int over_ = -1;  // readable when the watch is to end
  std::atomic<int> number_{0};
  std::stop_source source_;
  std::thread thread_;
};

}  // namespace holdfast::cli
