// Lets a signal end the wait for the lock.
//
// The main thread waits inside the library; meanwhile a thread of its own reads the signals. INT, TERM, HUP and QUIT end
// the wait through the stop_token; TSTP stops the process as usual; the others have nobody to go to and are dropped.
// Thread safety: made, used and finished by one thread.
#pragma once

#include "signals/descriptor.hpp"
#include "signals/inbox.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>

namespace holdfast::cli {

class wait_watch {
 public:
  explicit wait_watch(signal_inbox& signals);
  ~wait_watch() { static_cast<void>(finish()); }
  wait_watch(const wait_watch&) = delete;
  wait_watch& operator=(const wait_watch&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  // Sleeps so long, or until a signal ends it.
  void sleep(std::chrono::milliseconds length);
  // Stops watching; the signal that ended the wait, if one did.
  std::optional<int> finish();

 private:
  void serve();

  signal_inbox& signals_;
  std::stop_source source_;
  std::atomic<int> came_{0};
  descriptor done_;
  std::thread thread_;
};

}  // namespace holdfast::cli
