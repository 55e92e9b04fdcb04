#include "server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <system_error>

#include "interrupts.hpp"

namespace backstage {
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

// Left before it listened. Its port was taken by somebody else in between, or its settings are wrong.
struct ended_early : std::runtime_error {
  using runtime_error::runtime_error;
};

bool is_free(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool good = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return good;
}

// Free at this moment. Below the ports that the kernel gives to connections (32768 on), so that none of them has it while
// a server that was killed is to come back.
int free_port() {
  std::random_device source;
  std::uniform_int_distribution<int> any{20'000, 32'000};
  for (int tries = 0; tries < 100; ++tries) {
    if (const int port = any(source); is_free(port)) return port;
  }
  throw std::runtime_error{"no free loopback port from 20000 to 32000"};
}

[[noreturn]] void become_redis(const std::string& directory, int port, const server_options& how) {
  ::setsid();  // Ctrl-C is for the show, which ends the server itself
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  uncatch_interrupts();
  const int log = ::open((directory + "/redis.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  for (const auto& [name, value] : how.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> words{"redis-server",
                                 "--port",
                                 std::to_string(port),
                                 "--bind",
                                 "127.0.0.1",
                                 "--unixsocket",
                                 directory + "/redis.sock",
                                 "--unixsocketperm",
                                 "700",
                                 "--dir",
                                 directory,
                                 "--save",
                                 "",
                                 "--appendonly",
                                 "no"};
  words.insert(words.end(), how.settings.begin(), how.settings.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& each : words) argv.push_back(each.data());
  argv.push_back(nullptr);
  ::execvp("redis-server", argv.data());
  ::_exit(127);
}

}  // namespace

server::server(server_options how) : how_{std::move(how)} {
  std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-show.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"cannot make a directory in " + pattern};
  directory_ = pattern;
  try {
    start_first();
  } catch (...) {
    end();
    throw;
  }
}

server::~server() { end(); }

void server::start_first() {
  for (int tries = 1;; ++tries) {
    if (how_.tcp) port_ = free_port();
    try {
      return start();
    } catch (const ended_early&) {
      if (!how_.tcp || tries == 5) throw;
    }
  }
}

void server::start() {
  // A killed server leaves its socket behind, at which nobody listens; the new one replaces it.
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "fork"};
  if (pid_ == 0) become_redis(directory_, port_, how_);
  await_listening();
}

void server::await_listening() {
  for (int tries = 0; tries < 2000; ++tries) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      const bool missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
      if (missing) throw std::runtime_error{"redis-server is not installed (Debian: apt-get install redis-server)"};
      throw ended_early{"redis-server ended right after its start"};
    }
    if (listens(socket())) return;
    pause_for(std::chrono::milliseconds{5});
  }
  throw std::runtime_error{"redis-server did not listen within 10 s"};
}

void server::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void server::stop() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGSTOP);
  ::waitpid(pid_, nullptr, WUNTRACED);  // until it really stands
}

void server::resume() {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

void server::end() noexcept {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace backstage
