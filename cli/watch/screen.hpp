// The terminal taken over for a live view, and given back on every way out: return, exception, signals that end or stop
// the program, and crashes (whose handler only makes calls that are safe in a signal handler).
//
// Thread safety: one object per process, used by one thread.
#pragma once

#include "watch/picture.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli::watch {

class screen {
 public:
  screen();
  ~screen();
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  [[nodiscard]] canvas size() const;
  void show(const std::vector<std::string>& lines) const;

  // Keys, up to `limit`; empty when it passed, the size changed, or a signal came (see ended()).
  [[nodiscard]] std::string wait(std::chrono::milliseconds limit);
  // The signal that asked the program to end, or 0. A hang-up of the terminal counts as SIGHUP.
  [[nodiscard]] int ended() const noexcept;

 private:
  void stop_and_continue() const;
  bool hung_up_ = false;
};

}  // namespace holdfast::cli::watch
