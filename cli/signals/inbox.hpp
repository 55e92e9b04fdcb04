// The signals of `run` and `acquire`: which are passed on, how they are received, and what a child must get back.
//
// They are blocked and read from a signalfd, so that they arrive in order, between two steps of the program, and need no
// handler. A signal that was ignored when we started (SIGHUP under nohup, SIGINT of a background job) is left alone: it
// stays ignored, here and in the child, as without us.
#pragma once

#include "signals/descriptor.hpp"

#include <signal.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

// INT TERM HUP QUIT USR1 USR2 WINCH TSTP CONT.
inline constexpr std::array<int, 9> forwarded_signals{SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                                      SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};

// Those that end a wait for the lock.
[[nodiscard]] bool ends_a_wait(int number) noexcept;

// "TERM", "SIGTERM" or "15".
[[nodiscard]] std::optional<int> signal_number(std::string_view text);
// "TERM"
[[nodiscard]] std::string signal_name(int number);

// From now on the signals come to next(). One per process, made on the main thread before others are started; next() may
// then be called from one thread at a time. They stay blocked when it goes: one that is pending, such as the PIPE of a
// standard error that was closed, must not become our exit code.
class signal_inbox {
 public:
  signal_inbox();
  signal_inbox(const signal_inbox&) = delete;
  signal_inbox& operator=(const signal_inbox&) = delete;

  [[nodiscard]] int readable() const noexcept { return inbox_.get(); }
  // The next one that is there; does not wait.
  [[nodiscard]] std::optional<int> next();

  // What this process was started with. For the child between fork and exec: async-signal-safe.
  void restore() const noexcept;

 private:
  sigset_t mask_before_{};
  struct sigaction child_before_ {};
  descriptor inbox_;
};

// Stops this process as the given signal (TSTP, TTIN, TTOU) does, and returns when it was continued. False if it did not
// stop: nobody watches our process group (it is orphaned), and the kernel does not stop what nobody could continue.
bool stop_self(int number) noexcept;

}  // namespace holdfast::cli
