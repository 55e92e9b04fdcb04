// Starts the command: own process group, our terminal, the environment with HOLDFAST_…, and nothing else of ours.
//
// Made in two steps, because the guard must know the group before the command can start anything:
//
//   started_child child{…}   fork; the new process makes its group and waits
//   child.go()               it becomes the command; exec_failure() tells if it could not
//
// If we die in between, the waiting process sees its pipe end and dies too (and the kernel kills it: PR_SET_PDEATHSIG).
// Thread safety: none; the thread that makes it must live as long as the child (PR_SET_PDEATHSIG goes by thread).
#pragma once

#include "signals/descriptor.hpp"
#include "signals/inbox.hpp"

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace holdfast::cli {

struct child_order {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> variables;  // added to our own environment, or replaced in it
  std::string lost_variable;                                   // gets the number under which the child has lost_pipe
  int lost_pipe = -1;
  int private_pipe = -1;  // closed first of all in the child
};

class started_child {
 public:
  started_child(const child_order& order, const signal_inbox& signals);  // throws std::system_error

  [[nodiscard]] pid_t group() const noexcept { return pid_; }
  void go() noexcept;

  // Readable when the command has started (end of file) or could not (a number).
  [[nodiscard]] int exec_result() const noexcept { return result_.get(); }
  // After exec_result() was readable: 0, or the errno of exec. To be called once.
  [[nodiscard]] int read_exec_result() noexcept;

  void signal(int number) const noexcept;  // to the whole group

 private:
  pid_t pid_ = -1;
  descriptor go_;
  descriptor result_;
};

}  // namespace holdfast::cli
