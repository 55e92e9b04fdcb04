// A second process that ends the child's whole group when this one cannot: because it was killed, or because it is
// stopped while the lease runs out.
//
// It holds the read end of a pipe whose only write end is ours. The end of the pipe without a word means that we died:
// it kills the group and goes. While we live it is told until when the lease is proven; if that time passes without news,
// it kills the group too. It is in a session of its own, takes no signals but KILL and STOP, has no other descriptors, and
// goes when it is dismissed.
//
//   told by us            it does
//   protect(group, t)     remembers both; at t: SIGKILL to the group
//   dismiss()             ends
//   (the pipe ends)       SIGKILL to the group, ends
//
// The group's number cannot have been given to strangers while it is remembered: the child is not reaped before dismiss(),
// and where the rest of its group is waited for, that is looked at every few milliseconds.
// Thread safety: none.
#pragma once

#include "run/boot_clock.hpp"
#include "signals/descriptor.hpp"

#include <sys/types.h>

#include <optional>

namespace holdfast::cli {

class guard_process {
 public:
  guard_process();  // forks; throws std::system_error
  ~guard_process();
  guard_process(const guard_process&) = delete;
  guard_process& operator=(const guard_process&) = delete;

  void protect(pid_t group, std::optional<boot_time> kill_at) noexcept;
  void dismiss() noexcept;

  // Must be closed by every other fork of ours, or the pipe does not end with us.
  [[nodiscard]] int pipe() const noexcept { return orders_.get(); }

 private:
  pid_t pid_ = -1;
  descriptor orders_;
};

}  // namespace holdfast::cli
