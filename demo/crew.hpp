// The eight processes, seen from the one that watches: started, told what to do, killed, stopped, listened to.
//
// The watcher makes no client and has no thread, so that fork() is safe. Everything it started ends with it: children
// are killed by their pid in the destructor, and by the kernel should the watcher die.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>

#include "hand.hpp"
#include "report.hpp"

namespace demo {

class crew {
 public:
  static constexpr int size = 8;

  crew(const std::string& url, const std::string& lock);
  ~crew();
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  void tell(int process, const order& what);
  void kill(int process);
  void stop(int process);
  void resume(int process);

  // The next report; throws when there is none for too long, or when it says `failed`.
  report listen();

 private:
  struct member {
    pid_t pid = -1;
    int orders = -1;
  };
  std::array<member, size> members_{};
  int reports_ = -1;
};

}  // namespace demo
