// A child process under a test's control: a program, or a fork of the test itself.
//
// The child is killed and reaped with the object, and the kernel kills it if the test dies first. That second guard
// (PR_SET_PDEATHSIG) is tied to the THREAD that started the child: start children from a thread that outlives them,
// normally the test's main one.
//
// Standard output comes back through a pipe, to be read by lines with a time limit; that is how a child tells the test
// how far it is. Standard error stays the test's.
// Thread safety: none; one thread at a time per object. Failures to start throw std::runtime_error.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/unique_fd.hpp"

namespace holdfast::test {

struct exit_status {
  int code = -1;   // what main returned, or -1 if a signal ended it
  int signal = 0;  // the signal that ended it, or 0

  friend bool operator==(const exit_status&, const exit_status&) = default;
};

struct process_options {
  std::map<std::string, std::string> environment{};  // added to the test's own
  bool merge_stderr = false;                         // standard error goes into the same pipe
};

class process {
 public:
  // Runs argv[0], looked up in PATH, without any of the test's descriptors: an inherited socket would stay open when
  // the test closes it.
  explicit process(const std::vector<std::string>& argv, const process_options& options = {});
  process(process&& other) noexcept;
  process& operator=(process&& other) noexcept;
  ~process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();

  void signal(int number);
  void kill();   // SIGKILL, without waiting
  void pause();  // SIGSTOP, and waits until the kernel has stopped it
  void resume();

  // The next line without its newline; nothing on end of output or when the limit passes first.
  [[nodiscard]] std::optional<std::string> read_line(std::chrono::milliseconds limit);
  // What is left until the end of output (or the limit).
  [[nodiscard]] std::string read_rest(std::chrono::milliseconds limit);
  // To the child's standard input; false if the child no longer reads it.
  bool write(std::string_view text);
  void close_input() { input_.reset(); }

  // How it ended; nothing if it still runs when the limit passes.
  [[nodiscard]] std::optional<exit_status> wait(std::chrono::milliseconds limit);

 private:
  friend process fork_child(const std::function<int()>& body);
  process() = default;
  bool fill(std::chrono::steady_clock::time_point end);
  void end();

  pid_t pid_ = -1;
  unique_fd input_;
  unique_fd output_;
  std::string buffer_;
  std::optional<exit_status> status_;
};

// Forks the test; the child runs `body` and leaves with its value by _exit (3 if it throws), so nothing of the parent's
// is torn down twice. Call it before the test starts threads: a fork copies only the calling one, with every lock as it
// was. In the child, standard input and output are the pipes of the returned object.
[[nodiscard]] process fork_child(const std::function<int()>& body);

}  // namespace holdfast::test
