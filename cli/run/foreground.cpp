#include "run/foreground.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::cli {
namespace {

bool is_pipe(int number) noexcept {
  struct stat what {};
  return ::fstat(number, &what) == 0 && (S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode));
}

}  // namespace

foreground::foreground() : terminal_{::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)} {
  wanted_ = ours() && !is_pipe(STDOUT_FILENO);
}

bool foreground::ours() const noexcept { return terminal_ && ::tcgetpgrp(terminal_.get()) == ::getpgrp(); }

void foreground::lend(pid_t group) noexcept {
  if (!ours()) return;
  if (!modes_) {
    termios now{};
    if (::tcgetattr(terminal_.get(), &now) == 0) modes_ = now;
  }
  if (::tcsetpgrp(terminal_.get(), group) != 0) return;
  lent_to_ = group;
  wanted_ = true;
}

void foreground::take_back() noexcept {
  if (lent_to_ == 0) return;
  // Somebody else may have taken it meanwhile.
  if (::tcgetpgrp(terminal_.get()) == lent_to_) ::tcsetpgrp(terminal_.get(), ::getpgrp());
  lent_to_ = 0;
}

void foreground::restore_modes() noexcept {
  if (modes_ && ours()) ::tcsetattr(terminal_.get(), TCSADRAIN, &*modes_);
}

}  // namespace holdfast::cli
