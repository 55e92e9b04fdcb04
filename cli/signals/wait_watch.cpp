#include "signals/wait_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace holdfast::cli {

wait_watch::wait_watch(signal_inbox& signals)
    : signals_{signals}, done_{checked(::eventfd(0, EFD_CLOEXEC), "eventfd")}, thread_{[this] { serve(); }} {}

void wait_watch::serve() {
  for (;;) {
    pollfd both[2] = {{signals_.readable(), POLLIN, 0}, {done_.get(), POLLIN, 0}};
    if (::poll(both, 2, -1) < 0) continue;
    if (both[1].revents != 0) return;
    while (const auto number = signals_.next()) {
      if (*number == SIGTSTP) stop_self(SIGTSTP);
      if (!ends_a_wait(*number)) continue;
      came_ = *number;
      source_.request_stop();
      return;
    }
  }
}

void wait_watch::sleep(std::chrono::milliseconds length) {
  std::mutex guard;
  std::condition_variable_any never;
  std::unique_lock lock{guard};
  never.wait_for(lock, token(), length, [] { return false; });
}

std::optional<int> wait_watch::finish() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    (void)!::write(done_.get(), &one, sizeof one);
    thread_.join();
  }
  const int number = came_;
  return number != 0 ? std::optional{number} : std::nullopt;
}

}  // namespace holdfast::cli
