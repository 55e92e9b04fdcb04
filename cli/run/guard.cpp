#include "run/guard.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>

namespace holdfast::cli {
namespace {

// One message: small enough to be written and read whole.
struct order {
  std::int64_t group = 0;    // 0: dismissed
  std::int64_t kill_at = 0;  // ns on CLOCK_BOOTTIME; 0: never
};

void set_timer(int timer, std::int64_t at) noexcept {
  itimerspec when{};
  when.it_value.tv_sec = at / 1'000'000'000;
  when.it_value.tv_nsec = at % 1'000'000'000;
  ::timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, nullptr);
}

// The life of the guard. The process was forked from one with threads: async-signal-safe calls only, no memory is taken.
[[noreturn]] void watch(int orders) noexcept {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_NAME, "holdfast-guard");
  ::setsid();
  (void)!::chdir("/");  // a file system must not stay busy because of us
  if (orders != 0) ::dup2(orders, 0);
  ::close_range(1, ~0U, 0);
  const int timer = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  order latest;
  for (;;) {
    pollfd both[2] = {{0, POLLIN, 0}, {timer, POLLIN, 0}};
    if (::poll(both, 2, -1) < 0) continue;
    if (both[0].revents != 0) {
      order told;
      const ssize_t got = ::read(0, &told, sizeof told);
      if (got < 0) continue;
      if (got != sizeof told) {
        if (latest.group > 0) ::kill(static_cast<pid_t>(-latest.group), SIGKILL);
        ::_exit(0);
      }
      if (told.group == 0) ::_exit(0);
      latest = told;
      set_timer(timer, latest.kill_at);
      continue;
    }
    std::uint64_t count = 0;
    if (::read(timer, &count, sizeof count) == sizeof count && latest.group > 0) {
      ::kill(static_cast<pid_t>(-latest.group), SIGKILL);
    }
  }
}

}  // namespace

guard_process::guard_process() {
  pipe_ends ends = make_pipe();
  pid_ = checked(::fork(), "fork");
  if (pid_ == 0) watch(ends.read.get());
  orders_ = std::move(ends.write);
}

void guard_process::protect(pid_t group, std::optional<boot_time> kill_at) noexcept {
  const order told{group, kill_at ? kill_at->time_since_epoch().count() : 0};
  (void)!::write(orders_.get(), &told, sizeof told);
}

void guard_process::dismiss() noexcept {
  if (!orders_) return;
  const order done{};
  (void)!::write(orders_.get(), &done, sizeof done);
  orders_.reset();
}

guard_process::~guard_process() {
  dismiss();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace holdfast::cli
