// Watches over the running command: passes signals on, lends the terminal, and ends the command when the lease ends.
//
// One loop on the main thread. Whatever wakes it, the first thing it does is to look at the lease: after this process was
// stopped, the loss is acted on before anything that piled up meanwhile.
//
//   wakes for            does
//   the loss             plan.hpp: signal, grace, SIGKILL to the group
//   the lease's deadline looks whether it was renewed, and tells the guard until when it is now
//   a signal             sends it to the group
//   the child stopped    ^Z: takes the terminal, stops itself; continued: gives the terminal, continues the child
//   the child ended      returns
//
// Thread safety: none.
#pragma once

#include "run/child.hpp"
#include "run/foreground.hpp"
#include "run/guard.hpp"
#include "run/plan.hpp"
#include "signals/inbox.hpp"

#include <holdfast/lease.hpp>

#include <memory>
#include <optional>

namespace holdfast::cli {

// How the command ended.
struct child_end {
  int exec_errno = 0;  // it could not be started
  int code = 0;
  int signal = 0;  // that ended it, or 0
};

class supervisor {
 public:
  // `lost_pipe` is closed at the loss: its other end becomes readable.
  supervisor(lease& held, const loss_plan& plan, int stop_signal, signal_inbox& signals, descriptor lost_pipe);
  ~supervisor();
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;

  // From the start of the command to its end.
  child_end watch(started_child& child, guard_process& guard);
  // Keeps the lock until then, unless it is lost or a signal ends the wait.
  void keep_until(boot_time then);

  [[nodiscard]] std::optional<loss_cause> lost() const noexcept { return cause_; }
  [[nodiscard]] bool killed() const noexcept { return killed_; }
  // INT, TERM or QUIT came and was passed on: the sender means us as well. Not HUP, which tells many programs to read their
  // configuration again.
  [[nodiscard]] bool told_to_end() const noexcept { return told_to_end_; }

 private:
  void wait(std::optional<boot_time> until, int also);
  void look_at_lease();
  void carry_out(loss_plan::act what);
  void pass_on(int number);
  void on_signal(int number);
  void on_child();
  void on_stopped(int number);
  void on_continued();
  void on_ended(int how, int status);
  void end_group();

  lease& held_;
  loss_plan plan_;
  int stop_signal_;
  signal_inbox& signals_;
  descriptor lost_pipe_;
  std::shared_ptr<descriptor> loss_event_;
  descriptor timer_;
  foreground terminal_;
  started_child* child_ = nullptr;
  guard_process* guard_ = nullptr;
  std::optional<loss_cause> cause_;
  bool killed_ = false;
  bool told_to_end_ = false;
  std::optional<child_end> end_;
  int exec_errno_ = 0;
};

}  // namespace holdfast::cli
