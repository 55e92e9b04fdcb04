// fork, waitpid and a shared mapping; see crew.hpp.
#include "crew.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {

using namespace std::chrono_literals;

void nap_exactly() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL); }

void nap(std::chrono::nanoseconds length) noexcept {
  const timespec rest{.tv_sec = 0, .tv_nsec = length.count()};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nullptr);
}

void crew_board::add_sample(std::int64_t nanoseconds) {
  const std::size_t at = samples.load();
  if (at >= most_samples) return;
  micros[at] = static_cast<float>(nanoseconds) / 1000;
  samples.store(at + 1);
}

std::vector<double> crew_board::all_samples() const {
  return {micros.begin(), micros.begin() + static_cast<std::ptrdiff_t>(samples.load())};
}

shared_board::shared_board() {
  void* const at = ::mmap(nullptr, sizeof(crew_board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::runtime_error{"no shared memory"};
  board_ = new (at) crew_board;
}

shared_board::~shared_board() { ::munmap(board_, sizeof(crew_board)); }

crew::~crew() {
  for (const pid_t each : pids_) ::kill(each, SIGKILL);
  wait_for_all();
}

pid_t crew::start(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"fork failed"};
  if (child > 0) {
    pids_.push_back(child);
    return child;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  nap_exactly();
  int code = 0;
  try {
    work();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "a process of the crew: %s\n", problem.what());
    code = 1;
  }
  ::_exit(code);
}

void crew::reap(int flags) {
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    int status = 0;
    const pid_t got = ::waitpid(pids_[i], &status, flags);
    if (got == 0 || (got < 0 && errno == EINTR)) continue;
    failed_ = failed_ || status != 0;
    pids_.erase(pids_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

bool crew::any_failed() {
  reap(WNOHANG);
  return failed_;
}

void crew::wait_for(const std::atomic<unsigned>& counter, unsigned wanted) {
  const auto limit = clock::now() + 60s;
  while (counter.load() < wanted) {
    if (any_failed() || clock::now() > limit) throw std::runtime_error{"a process of the crew did not get through"};
    std::this_thread::sleep_for(2ms);
  }
}

void crew::wait_for_all() {
  while (!pids_.empty()) reap(0);
}

}  // namespace holdfast::bench
