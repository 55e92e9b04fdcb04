#include "actor.hpp"

#include <backstage/interrupts.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "actor_work.hpp"

namespace lab {
namespace {

constexpr int patience_ms = 20'000;
constexpr std::size_t longest_message = 65'536;

[[noreturn]] void become_actor(int line, pid_t laboratory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != laboratory) ::_exit(1);
  backstage::uncatch_interrupts();
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the laboratory, which ends its actors itself
  // Only its own line: another one's would never end while this process has it, too.
  const int own = ::dup2(line, 3);
  ::close_range(4, ~0U, 0);
  ::_exit(work(own));
}

}  // namespace

bool send_words(int line, const std::vector<std::string>& all) {
  std::string message;
  for (const std::string& each : all) message += each + '\0';
  return ::send(line, message.data(), message.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
}

bool receive_words(int line, std::vector<std::string>& into) {
  std::string message(longest_message, '\0');
  ssize_t got = -1;
  do {
    got = ::recv(line, message.data(), message.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  message.resize(static_cast<std::size_t>(got));
  into.clear();
  for (std::size_t from = 0; from < message.size();) {
    const std::size_t end = message.find('\0', from);
    into.push_back(message.substr(from, end - from));
    from = end + 1;
  }
  return true;
}

actor::actor(std::string name) : name_{std::move(name)} {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error{errno, std::generic_category(), "socketpair"};
  }
  const pid_t laboratory = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become_actor(ends[1], laboratory);
  ::close(ends[1]);
  line_ = ends[0];
  if (pid_ < 0) {
    ::close(line_);
    throw std::system_error{errno, std::generic_category(), "fork"};
  }
}

actor::~actor() {
  kill();
  ::close(line_);
}

void actor::tell(const order& what) {
  if (!send_words(line_, what)) throw std::runtime_error{"client " + name_ + " is gone"};
}

answer actor::hear() {
  for (;;) {
    backstage::check_interrupts();
    pollfd wait{line_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) throw std::runtime_error{"client " + name_ + " did not answer for 20 s"};
    answer out;
    if (!receive_words(line_, out.texts) || out.texts.size() < 3) {
      throw std::runtime_error{"client " + name_ + " ended early"};
    }
    out.began = std::stoll(out.texts[0]);
    out.ended = std::stoll(out.texts[1]);
    out.texts.erase(out.texts.begin(), out.texts.begin() + 2);
    return out;
  }
}

bool actor::has_answer() const {
  pollfd wait{line_, POLLIN, 0};
  return ::poll(&wait, 1, 0) == 1;
}

answer actor::ask(const order& what) {
  tell(what);
  return hear();
}

void actor::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void actor::stop() {
  ::kill(pid_, SIGSTOP);
  ::waitpid(pid_, nullptr, WUNTRACED);
}

void actor::resume() { ::kill(pid_, SIGCONT); }

}  // namespace lab
