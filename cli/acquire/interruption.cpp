#include "acquire/interruption.hpp"

#include "exit_code.hpp"
#include "stop.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace holdfast::cli {

interruption::interruption() {
  sigset_t watched{};
  sigemptyset(&watched);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    // Whoever started us with a signal ignored (nohup) wants it ignored.
    struct sigaction now {};
    if (sigaction(each, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&watched, each);
  }
  signals_ = signalfd(-1, &watched, SFD_CLOEXEC);
  over_ = eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || over_ < 0) throw stop{exit_internal, "cannot watch for signals: out of descriptors"};
  pthread_sigmask(SIG_BLOCK, &watched, &before_);
  thread_ = std::thread{[this] { watch(); }};
}

interruption::~interruption() {
  const std::uint64_t one = 1;
  while (::write(over_, &one, sizeof one) < 0) {
  }
  thread_.join();
  ::close(signals_);
  ::close(over_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void interruption::watch() {
  std::array<pollfd, 2> entries{{{signals_, POLLIN, 0}, {over_, POLLIN, 0}}};
  for (;;) {
    if (::poll(entries.data(), entries.size(), -1) < 0) continue;
    if (entries[1].revents != 0) return;
    signalfd_siginfo came{};
    if (::read(signals_, &came, sizeof came) != static_cast<ssize_t>(sizeof came)) continue;
    int none = 0;
    if (number_.compare_exchange_strong(none, static_cast<int>(came.ssi_signo))) source_.request_stop();
  }
}

}  // namespace holdfast::cli
