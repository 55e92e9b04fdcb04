// See private_watcher.hpp. In the order of its life: settle, start the server, look at it again and again, end it.
#include "topology/private_watcher.hpp"

#include "topology/private_directory.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

namespace holdfast::topology {
namespace {

enum : int { life_fd = 3, directory_fd = 4, first_unused_fd = 5 };

constexpr int answer_limit_ms = 5000;
constexpr int longest_pause_ms = 30'000;
constexpr int shortest_pause_ms = 10;

long long now_ms() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

void close_from(unsigned first) noexcept {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, first, ~0U, 0U) == 0) return;
#endif
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const int end = known ? static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1U << 20U)) : 1 << 20;
  for (int fd = static_cast<int>(first); fd < end; ++fd) ::close(fd);
}

// Away from everything of the parent's: handlers, ignored signals, files, working directory.
void settle(const watch_plan& plan) noexcept {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number <= SIGRTMAX; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  ::prctl(PR_SET_NAME, "holdfast-watch");
  ::umask(077);
  ::dup2(plan.null_fd, STDIN_FILENO);
  ::dup2(plan.log_fd, STDOUT_FILENO);
  ::dup2(plan.log_fd, STDERR_FILENO);
  ::dup2(plan.life_fd, life_fd);
  // Opened anew, not copied: a copy would share the parent's flock, and we need one of our own.
  const int directory = ::openat(plan.directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || ::fchdir(directory) != 0) ::_exit(1);
  if (directory != directory_fd) ::dup3(directory, directory_fd, O_CLOEXEC);
  close_from(first_unused_fd);
}

pid_t start_server(const watch_plan& plan) noexcept {
  const pid_t server = fork_bare();
  if (server == 0) {
    ::execve(plan.program, plan.arguments, plan.environment);
    ::_exit(127);
  }
  // The log belongs to the server alone from here on.
  ::dup2(STDIN_FILENO, STDOUT_FILENO);
  ::dup2(STDIN_FILENO, STDERR_FILENO);
  return server;
}

// By a relative name from inside the directory: it stays ours even if another one takes its place.
int connect_to_server() noexcept {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, private_directory::socket_name, std::strlen(private_directory::socket_name));
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

struct census {
  bool known = false;
  long long clients = 0;      // now, the watcher included
  long long connections = 0;  // ever
  long long locks = 0;        // keys with an expiry, fence counters aside
};

long long number_at(std::string_view text) noexcept {
  long long value = 0;
  for (const char c : text.substr(0, 18)) {
    if (c < '0' || c > '9') break;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool number_after(std::string_view text, std::string_view label, long long& into) noexcept {
  const auto at = text.find(label);
  if (at == std::string_view::npos) return false;
  into = number_at(text.substr(at + label.size()));
  return true;
}

census read_census(std::string_view text) noexcept {
  census out;
  out.known = number_after(text, "\nconnected_clients:", out.clients) &&
              number_after(text, "\ntotal_connections_received:", out.connections) &&
              number_after(text, "\nholdfast-locks\r\n:", out.locks);
  return out;
}

census ask(int fd) noexcept {
  // Fence counters outlive their locks by days and can be drawn anew from the clock: no reason to stay.
  constexpr std::string_view question =
      "INFO clients\r\nINFO stats\r\nECHO holdfast-locks\r\n"
      "EVAL \"local n = 0 for d = 0, 15 do redis.call('SELECT', d) for _, k in ipairs(redis.call('KEYS', '*')) do "
      "if string.sub(k, 1, 15) ~= 'holdfast:fence:' and redis.call('PTTL', k) >= 0 then n = n + 1 end end end "
      "return n\" 0\r\nECHO holdfast-end\r\n";
  constexpr std::string_view end = "\r\nholdfast-end\r\n";
  if (::send(fd, question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) return {};
  std::array<char, 16384> buffer;
  std::size_t have = 0;
  const auto limit = now_ms() + answer_limit_ms;
  while (have < buffer.size()) {
    pollfd wait{fd, POLLIN, 0};
    const auto left = limit - now_ms();
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) == 0) return {};
    const auto got = ::recv(fd, buffer.data() + have, buffer.size() - have, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return {};
    have += static_cast<std::size_t>(got);
    const std::string_view text{buffer.data(), have};
    if (text.ends_with(end)) return read_census(text);
  }
  return {};
}

bool is_quiet(const census& seen, long long connections_before) noexcept {
  return seen.known && seen.clients <= 1 && seen.connections == connections_before && seen.locks == 0;
}

// Under the lock, since a process that holds it has perhaps just found the server and will use it.
bool end_if_still_quiet(int fd, pid_t server, long long connections) noexcept {
  if (::flock(directory_fd, LOCK_EX | LOCK_NB) != 0) return false;
  if (!is_quiet(ask(fd), connections)) {
    ::flock(directory_fd, LOCK_UN);
    return false;
  }
  ::kill(server, SIGKILL);
  while (::waitpid(server, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::unlinkat(directory_fd, private_directory::socket_name, 0);
  return true;  // the lock goes with the process
}

void pause_for(int fd, int milliseconds) noexcept {
  pollfd wait{fd, POLLIN, 0};  // fd -1: a plain pause; otherwise the end of the connection is noticed at once
  ::poll(&wait, 1, milliseconds);
}

}  // namespace

void run_watcher(const watch_plan& plan) noexcept {
  settle(plan);
  const pid_t server = start_server(plan);
  if (server < 0) ::_exit(1);

  const int pause_ms = std::clamp(plan.idle_ms / 5, shortest_pause_ms, longest_pause_ms);
  // Short until the first connection, which is then kept: it serves even when the socket's name is removed later.
  int next_pause_ms = 5;
  int fd = -1;
  long long connections = -1;
  auto quiet_since = now_ms();
  while (true) {
    pause_for(fd, next_pause_ms);
    if (::waitpid(server, nullptr, WNOHANG) != 0) ::_exit(0);
    if (fd < 0) fd = connect_to_server();
    if (fd < 0) continue;
    next_pause_ms = pause_ms;
    const auto seen = ask(fd);
    if (!seen.known) {
      ::close(fd);
      fd = -1;
    }
    if (!is_quiet(seen, connections)) quiet_since = now_ms();
    connections = seen.known ? seen.connections : -1;
    if (now_ms() - quiet_since >= plan.idle_ms && end_if_still_quiet(fd, server, connections)) ::_exit(0);
  }
}

}  // namespace holdfast::topology
