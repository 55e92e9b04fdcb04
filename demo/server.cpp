#include "server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "crew.hpp"

namespace demo {
namespace {

bool listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error{"TMPDIR is too long for a Unix socket"};
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool good = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return good;
}

[[noreturn]] void become_redis(const std::string& directory) {
  ::setsid();  // Ctrl-C is for the demonstration, which ends the server itself
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = ::open((directory + "/redis.log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  const std::string socket = directory + "/redis.sock";
  ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--unixsocketperm", "700",
           "--dir", directory.c_str(), "--save", "", "--appendonly", "no", static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

server::server() {
  std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-demo.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"cannot make a directory in " + pattern};
  directory_ = pattern;
  pid_ = ::fork();
  if (pid_ == 0) become_redis(directory_);
  try {
    for (int tries = 0; tries < 1000; ++tries) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        const bool missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
        throw std::runtime_error{missing ? "redis-server is not installed (Debian: apt-get install redis-server)"
                                         : "redis-server ended right after its start"};
      }
      if (listens(directory_ + "/redis.sock")) return;
      pause_for(std::chrono::milliseconds{10});
    }
    throw std::runtime_error{"redis-server did not listen within 10 s"};
  } catch (...) {
    end();
    throw;
  }
}

server::~server() { end(); }

void server::end() noexcept {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace demo
