#include "run/child.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace holdfast::cli {
namespace {

// Everything that the new process needs, made before the fork.
struct prepared {
  char* const* arguments;
  char* const* variables;
  const signal_inbox* signals;
  pid_t parent;
  int private_pipe;
  int go_read;
  int go_write;
  int result;
  int lost_from;
  int lost_to;
};

// In the new process. It was forked from one with threads: async-signal-safe calls only. execvpe is not on POSIX's list,
// but glibc's takes no memory and no locks.
[[noreturn]] void become(const prepared& what) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != what.parent) ::_exit(127);  // it died before prctl
  ::setpgid(0, 0);
  ::close(what.private_pipe);
  ::close(what.go_write);
  char word = 0;
  ssize_t got = 0;
  do {
    got = ::read(what.go_read, &word, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) ::_exit(127);
  if (what.lost_from == what.lost_to) {
    ::fcntl(what.lost_to, F_SETFD, 0);
  } else {
    ::dup2(what.lost_from, what.lost_to);
  }
  what.signals->restore();
  ::execvpe(what.arguments[0], what.arguments, what.variables);
  const int why = errno;
  (void)!::write(what.result, &why, sizeof why);
  ::_exit(127);
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(added.begin(), added.end(), [&](const auto& each) { return each.first == name; });
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& each : texts) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

// The smallest number from 3 on that the command does not get from our caller: some shells know only one digit.
int free_in_child(int go_read, int result) noexcept {
  for (int number = 3;; ++number) {
    if (number == go_read || number == result) continue;
    const int flags = ::fcntl(number, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) return number;
  }
}

}  // namespace

started_child::started_child(const child_order& order, const signal_inbox& signals) {
  pipe_ends go = make_pipe();
  pipe_ends result = make_pipe();
  const int lost_to = free_in_child(go.read.get(), result.write.get());
  auto variables = order.variables;
  variables.emplace_back(order.lost_variable, std::to_string(lost_to));
  auto words = order.command;
  auto environment = environment_with(variables);
  const auto word_pointers = pointers(words);
  const auto environment_pointers = pointers(environment);
  const prepared what{.arguments = word_pointers.data(),
                      .variables = environment_pointers.data(),
                      .signals = &signals,
                      .parent = ::getpid(),
                      .private_pipe = order.private_pipe,
                      .go_read = go.read.get(),
                      .go_write = go.write.get(),
                      .result = result.write.get(),
                      .lost_from = order.lost_pipe,
                      .lost_to = lost_to};
  pid_ = checked(::fork(), "fork");
  if (pid_ == 0) become(what);
  ::setpgid(pid_, pid_);  // here as well: whoever comes first, the group exists from now on
  go_ = std::move(go.write);
  result_ = std::move(result.read);
}

void started_child::go() noexcept {
  (void)!::write(go_.get(), "g", 1);
  go_.reset();
}

int started_child::read_exec_result() noexcept {
  int why = 0;
  const ssize_t got = ::read(result_.get(), &why, sizeof why);
  result_.reset();
  return got == sizeof why ? why : 0;
}

void started_child::signal(int number) const noexcept { ::kill(-pid_, number); }

}  // namespace holdfast::cli
