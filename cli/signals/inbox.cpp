#include "signals/inbox.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace holdfast::cli {
namespace {

bool is_ignored(int number) noexcept {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

bool ends_a_wait(int number) noexcept {
  return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

std::optional<int> signal_number(std::string_view text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) {
    return number > 0 && number < NSIG ? std::optional{number} : std::nullopt;
  }
  if (text.starts_with("SIG")) text.remove_prefix(3);
  for (number = 1; number < NSIG; ++number) {
    const char* const name = ::sigabbrev_np(number);
    if (name != nullptr && text == name) return number;
  }
  return std::nullopt;
}

std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name != nullptr ? name : std::to_string(number);
}

signal_inbox::signal_inbox() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int each : forwarded_signals) {
    if (!is_ignored(each)) ::sigaddset(&wanted, each);
  }
  ::sigaddset(&wanted, SIGCHLD);
  sigset_t blocked = wanted;
  ::sigaddset(&blocked, SIGPIPE);  // a standard error that nobody reads must not end the watch over the child
  ::sigaddset(&blocked, SIGTTOU);  // or we could not take the terminal back from the background
  ::sigprocmask(SIG_BLOCK, &blocked, &mask_before_);
  // Where children are ignored, the kernel reaps them and their exit codes are lost.
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &plain, &child_before_);
  inbox_.reset(checked(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"));
}

std::optional<int> signal_inbox::next() {
  signalfd_siginfo info{};
  if (::read(inbox_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void signal_inbox::restore() const noexcept {
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool stop_self(int number) noexcept {
  sigset_t only;
  sigset_t before;
  ::sigemptyset(&only);
  ::sigaddset(&only, number);
  ::kill(::getpid(), number);
  ::pthread_sigmask(SIG_UNBLOCK, &only, &before);  // here we stop
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  sigset_t pending;
  ::sigpending(&pending);
  return ::sigismember(&pending, SIGCONT) == 1;
}

}  // namespace holdfast::cli
