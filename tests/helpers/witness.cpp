// A command for `holdfast run` to run, that keeps a record of what happens to it and to a child of its own.
//
//   witness stamp FILE      until it is killed, both write the time (ns since 1970) about every millisecond, each into a
//                           file of its own (FILE.child, FILE.grandchild); TERM is ignored
//   witness signals FILE    both append "child TERM" or "grandchild TERM" to FILE for every signal; ends with its input
//
// Prints "ready" when both are at it.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

void say_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

void stamp(const std::string& path, bool announce) {
  ::signal(SIGTERM, SIG_IGN);
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR, 0600);
  for (bool first = true;; first = false) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::int64_t ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    if (::pwrite(file, &ns, sizeof ns, 0) != sizeof ns) ::_exit(1);
    if (first && announce) say_ready();
    ::usleep(1000);
  }
}

void record(const std::string& path, const std::string& who, int inbox, bool until_input_ends) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  for (;;) {
    pollfd both[2] = {{inbox, POLLIN, 0}, {until_input_ends ? 0 : -1, POLLIN, 0}};
    ::poll(both, 2, -1);
    signalfd_siginfo info{};
    while (::read(inbox, &info, sizeof info) == sizeof info) {
      const char* const name = ::sigabbrev_np(static_cast<int>(info.ssi_signo));
      const std::string line = who + " " + (name != nullptr ? name : "?") + "\n";
      if (::write(file, line.data(), line.size()) < 0) ::_exit(1);
    }
    char byte = 0;
    if (both[1].revents != 0 && ::read(0, &byte, 1) == 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const std::string how = argv[1];
  const std::string file = argv[2];
  if (how == "stamp") {
    if (::fork() == 0) stamp(file + ".grandchild", false);
    stamp(file + ".child", true);
  }
  sigset_t all;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  const int inbox = ::signalfd(-1, &all, SFD_NONBLOCK);
  const pid_t below = ::fork();
  if (below == 0) {
    record(file, "grandchild", ::signalfd(-1, &all, SFD_NONBLOCK), false);
    return 0;
  }
  say_ready();
  record(file, "child", inbox, true);
  ::kill(below, SIGKILL);
  ::waitpid(below, nullptr, 0);
  return 0;
}
