// Implements process. Between fork and exec only async-signal-safe calls are made, because the test may have threads.
#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

struct pipe_ends {
  unique_fd read;
  unique_fd write;
};

pipe_ends make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error{std::string{"pipe: "} + std::strerror(errno)};
  return {unique_fd{ends[0]}, unique_fd{ends[1]}};
}

// The parent may have died between fork and prctl; then the signal would never come.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
}

void plain_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGTERM, SIGINT, SIGQUIT, SIGHUP}) ::signal(number, SIG_DFL);
}

void use_as(int fd, int standard) {
  if (fd == standard) {
    ::fcntl(fd, F_SETFD, 0);
  } else {
    ::dup2(fd, standard);
  }
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (!added.contains(std::string{text.substr(0, text.find('='))})) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

process::process(const std::vector<std::string>& argv, const process_options& options) {
  if (argv.empty()) throw std::runtime_error{"process: no program named"};
  pipe_ends in = make_pipe();
  pipe_ends out = make_pipe();
  pipe_ends failed = make_pipe();  // carries errno if exec fails, and just closes if it succeeds
  const auto environment = environment_with(options.environment);
  const auto arguments = pointers(argv);
  const auto variables = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{std::string{"fork: "} + std::strerror(errno)};
  if (child == 0) {
    die_with(parent);
    plain_signals();
    use_as(in.read.get(), STDIN_FILENO);
    use_as(out.write.get(), STDOUT_FILENO);
    if (options.merge_stderr) ::dup2(STDOUT_FILENO, STDERR_FILENO);
    for (int fd = 3; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::execvpe(arguments[0], arguments.data(), variables.data());
    const int why = errno;
    (void)!::write(failed.write.get(), &why, sizeof why);
    ::_exit(127);
  }
  pid_ = child;
  input_ = std::move(in.write);
  output_ = std::move(out.read);
  failed.write.reset();
  int why = 0;
  ssize_t got = 0;
  do {
    got = ::read(failed.read.get(), &why, sizeof why);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof why) {
    end();
    throw std::runtime_error{"cannot run " + argv[0] + ": " + std::strerror(why)};
  }
}

process fork_child(const std::function<int()>& body) {
  pipe_ends in = make_pipe();
  pipe_ends out = make_pipe();
  std::fflush(nullptr);  // or the child would write the parent's buffered text a second time
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{std::string{"fork: "} + std::strerror(errno)};
  if (child == 0) {
    die_with(parent);
    use_as(in.read.get(), STDIN_FILENO);
    use_as(out.write.get(), STDOUT_FILENO);
    in = {};
    out = {};
    int code = 3;
    try {
      code = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "forked child: %s\n", error.what());
    } catch (...) {
      std::fprintf(stderr, "forked child: unknown exception\n");
    }
    std::fflush(nullptr);
    ::_exit(code);
  }
  process result;
  result.pid_ = child;
  result.input_ = std::move(in.write);
  result.output_ = std::move(out.read);
  return result;
}

process::process(process&& other) noexcept { *this = std::move(other); }

process& process::operator=(process&& other) noexcept {
  if (this == &other) return *this;
  end();
  pid_ = std::exchange(other.pid_, -1);
  input_ = std::move(other.input_);
  output_ = std::move(other.output_);
  buffer_ = std::move(other.buffer_);
  status_ = std::exchange(other.status_, std::nullopt);
  return *this;
}

process::~process() { end(); }

void process::end() {
  if (pid_ > 0 && !status_) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
}

bool process::running() { return pid_ > 0 && !wait(std::chrono::milliseconds{0}); }

// Once reaped, the pid may belong to a stranger.
void process::signal(int number) {
  if (running()) ::kill(pid_, number);
}

void process::kill() { signal(SIGKILL); }

void process::pause() {
  if (!running()) return;
  ::kill(pid_, SIGSTOP);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WEXITED | WNOWAIT);
}

void process::resume() { signal(SIGCONT); }

bool process::fill(std::chrono::steady_clock::time_point end) {
  using namespace std::chrono;
  while (output_) {
    const auto left = std::max(ceil<milliseconds>(end - steady_clock::now()), milliseconds{0});
    pollfd ready{output_.get(), POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(left.count()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    char bytes[4096];
    const ssize_t got = ::read(output_.get(), bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      output_.reset();
      return false;
    }
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }
  return false;
}

std::optional<std::string> process::read_line(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::size_t newline = buffer_.find('\n');
  while (newline == std::string::npos && fill(end)) newline = buffer_.find('\n');
  if (newline == std::string::npos) return std::nullopt;
  std::string line = buffer_.substr(0, newline);
  buffer_.erase(0, newline + 1);
  return line;
}

std::string process::read_rest(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (fill(end)) {
  }
  return std::exchange(buffer_, {});
}

bool process::write(std::string_view text) {
  // A child that has gone must be a false, not a SIGPIPE that ends the test.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  while (!text.empty() && input_) {
    const ssize_t put = ::write(input_.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) break;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  return text.empty();
}

std::optional<exit_status> process::wait(std::chrono::milliseconds limit) {
  if (pid_ <= 0) return status_;
  (void)eventually(limit, [this] {
    if (status_) return true;
    int raw = 0;
    if (::waitpid(pid_, &raw, WNOHANG) != pid_) return false;
    status_ = WIFSIGNALED(raw) ? exit_status{-1, WTERMSIG(raw)} : exit_status{WEXITSTATUS(raw), 0};
    return true;
  });
  return status_;
}

}  // namespace holdfast::test
