// A thread that takes no signals: the program's own threads handle those, as if we were not there.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace holdfast::runtime {

template <class Work>
std::thread start_quiet_thread(Work&& work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread started;
  try {
    started = std::thread{std::forward<Work>(work)};
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace holdfast::runtime
