// The process that runs the private redis-server and ends it when nobody uses it any more.
//
// It is a fork, without exec, of the process that needed the server first, detached from it: parent of redis-server,
// child of init. In use means: a client other than the watcher is connected, or one has connected since the last look,
// or a key with an expiry exists other than fence counters (a lock can be held without a connection). Unused for the whole idle time, and still
// so under the directory's lock, the server is killed. It keeps nothing on disk, so there is nothing to save; and
// SHUTDOWN would unlink the socket by name, which is another server's if the directory was replaced meanwhile.
//
// The forking process may have had threads, so everything here is async-signal-safe: no allocation, no locks, no stdio.
// The watcher ends with its server, whoever ended that.
#pragma once

#include <unistd.h>

namespace holdfast::topology {

// _Fork runs no pthread_atfork handlers, which may lock. ThreadSanitizer knows only fork, and hangs after the other.
inline pid_t fork_bare() noexcept {
#if defined(__SANITIZE_THREAD__)
  return ::fork();
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return ::fork();
#else
  return ::_Fork();
#endif
#else
  return ::_Fork();
#endif
}

// Made before the fork. The descriptors are all above 9 (the watcher puts them below); the pointers outlive the call.
struct watch_plan {
  const char* program;  // redis-server
  char* const* arguments;
  char* const* environment;
  int directory_fd;
  int null_fd;
  int log_fd;
  int life_fd;  // server.lock, locked; inherited by the server on purpose: the lock lives as long as either process
  int idle_ms;
};

// To be called in a child of fork() with all signals blocked.
[[noreturn]] void run_watcher(const watch_plan& plan) noexcept;

}  // namespace holdfast::topology
