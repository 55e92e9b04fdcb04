// The terminal that we may have been started from, lent to the child.
//
// The child has a process group of its own; only the group in the terminal's foreground may read it and gets ^C, ^Z and
// window sizes. So while the child runs its group is put there, as a shell does with a job. Not at once if standard output
// is a pipe: then another process of our group, a pager perhaps, may be the one that reads the terminal; the child gets it
// when it is stopped for touching it.
// Thread safety: none.
#pragma once

#include "signals/descriptor.hpp"

#include <sys/types.h>
#include <termios.h>

#include <optional>

namespace holdfast::cli {

class foreground {
 public:
  foreground();

  // Whether our own group is in the foreground now.
  [[nodiscard]] bool ours() const noexcept;
  // The child should have it whenever we could give it.
  [[nodiscard]] bool wanted() const noexcept { return wanted_; }
  [[nodiscard]] bool is_lent() const noexcept { return lent_to_ != 0; }

  void lend(pid_t group) noexcept;
  void take_back() noexcept;
  // As it was before the child touched it: for one that was killed and could not do so itself.
  void restore_modes() noexcept;

 private:
  descriptor terminal_;
  bool wanted_ = false;
  pid_t lent_to_ = 0;
  std::optional<termios> modes_;
};

}  // namespace holdfast::cli
