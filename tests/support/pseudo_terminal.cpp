#include "support/pseudo_terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace holdfast::test {

pseudo_terminal::pseudo_terminal(const std::vector<std::string>& argv,
                                 const std::map<std::string, std::string>& environment) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (!environment.contains(std::string{text.substr(0, text.find('='))})) variables.emplace_back(text);
  }
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<std::string> words = argv;
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  const auto word_pointers = pointers(words);
  const auto variable_pointers = pointers(variables);
  const winsize size{24, 80, 0, 0};
  int master = -1;
  pid_ = ::forkpty(&master, nullptr, nullptr, &size);
  if (pid_ < 0) throw std::runtime_error{std::string{"forkpty: "} + std::strerror(errno)};
  if (pid_ == 0) {
    // A test that was started in the background of a script ignores these, and so would all that it starts.
    for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGTERM}) ::signal(number, SIG_DFL);
    for (int fd = 3; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::execvpe(word_pointers[0], word_pointers.data(), variable_pointers.data());
    ::_exit(127);
  }
  master_.reset(master);
  ::fcntl(master, F_SETFD, FD_CLOEXEC);
}

pseudo_terminal::~pseudo_terminal() {
  master_.reset();
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void pseudo_terminal::type(std::string_view text) const {
  if (::write(master_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error{std::string{"cannot type: "} + std::strerror(errno)};
  }
}

bool pseudo_terminal::shows(const std::string& text, std::chrono::milliseconds limit) {
  using namespace std::chrono;
  const auto end = steady_clock::now() + limit;
  for (;;) {
    if (const auto found = seen_.find(text, looked_at_); found != std::string::npos) {
      looked_at_ = found + text.size();
      return true;
    }
    const auto left = ceil<milliseconds>(end - steady_clock::now());
    pollfd ready{master_.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) == 0) return false;
    char bytes[4096];
    const ssize_t got = ::read(master_.get(), bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // the last one that had it open has gone
    seen_.append(bytes, static_cast<std::size_t>(got));
  }
}

void pseudo_terminal::resize(unsigned short rows, unsigned short columns) const {
  const winsize size{rows, columns, 0, 0};
  ::ioctl(master_.get(), TIOCSWINSZ, &size);
}

}  // namespace holdfast::test
