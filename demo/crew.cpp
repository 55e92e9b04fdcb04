#include "crew.hpp"

#include <backstage/interrupts.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace demo {
namespace {

constexpr int patience_ms = 15'000;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error{errno, std::generic_category(), "pipe"};
  return ends;
}

}  // namespace

crew::crew(const std::string& url, const std::string& lock) {
  const auto reports = make_pipe();
  reports_ = reports[0];
  const pid_t watcher = ::getpid();
  for (int i = 0; i < size; ++i) {
    const auto orders = make_pipe();
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != watcher) ::_exit(1);
      backstage::uncatch_interrupts();
      for (const member& earlier : members_) {
        if (earlier.orders >= 0) ::close(earlier.orders);
      }
      ::close(reports[0]);
      ::close(orders[1]);
      ::_exit(work(i + 1, url, lock, orders[0], reports[1]));
    }
    ::close(orders[0]);
    members_[static_cast<std::size_t>(i)] = {child, orders[1]};
  }
  ::close(reports[1]);
  for (int ready = 0; ready < size;) ready += listen().kind == what::ready ? 1 : 0;
}

crew::~crew() {
  for (const member& each : members_) {
    if (each.pid <= 0) continue;
    ::kill(each.pid, SIGKILL);
    ::waitpid(each.pid, nullptr, 0);
  }
  for (const member& each : members_) {
    if (each.orders >= 0) ::close(each.orders);
  }
  if (reports_ >= 0) ::close(reports_);
}

void crew::tell(int process, const order& what) {
  const int to = members_[static_cast<std::size_t>(process - 1)].orders;
  if (::write(to, &what, sizeof what) != static_cast<ssize_t>(sizeof what))
    throw std::runtime_error{"a process is gone"};
}

void crew::kill(int process) {
  member& victim = members_[static_cast<std::size_t>(process - 1)];
  ::kill(victim.pid, SIGKILL);
  ::waitpid(victim.pid, nullptr, 0);
  victim.pid = -1;
}

void crew::stop(int process) {
  const pid_t pid = members_[static_cast<std::size_t>(process - 1)].pid;
  ::kill(pid, SIGSTOP);
  ::waitpid(pid, nullptr, WUNTRACED);  // until it really stands
}

void crew::resume(int process) { ::kill(members_[static_cast<std::size_t>(process - 1)].pid, SIGCONT); }

report crew::listen() {
  for (;;) {
    backstage::check_interrupts();
    pollfd wait{reports_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) throw std::runtime_error{"nobody reported anything for 15 s"};
    report heard;
    const auto got = ::read(reports_, &heard, sizeof heard);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof heard)) throw std::runtime_error{"all processes ended early"};
    if (heard.kind == what::failed) {
      throw std::runtime_error{"process " + std::to_string(heard.process) + " failed: " + heard.text};
    }
    return heard;
  }
}

}  // namespace demo
