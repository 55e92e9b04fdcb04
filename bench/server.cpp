// Starts redis-server and waits until it answers.
#include "server.hpp"

#include "floor.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 10s;

// Where a node of a cluster writes down the others.
std::string nodes_file(const std::string& port) { return "/tmp/holdfast-bench-node-" + port + ".conf"; }

[[noreturn]] void become_redis(pid_t parent, const std::string& port, const std::string& bus, bool placed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  placed ? place_server() : place_clients(placement::anywhere);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  const bool clustered = !bus.empty();
  const std::string file = nodes_file(port);
  // The last words are left out where there is no cluster.
  ::execlp("redis-server", "redis-server", "--port", port.c_str(), "--bind", "127.0.0.1", "--save", "", "--appendonly",
           "no", "--dir", "/", "--loglevel", "warning", clustered ? "--cluster-enabled" : nullptr, "yes",
           "--cluster-port", bus.c_str(), "--cluster-config-file", file.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool found = fd >= 0 && ::bind(fd, generic, size) == 0 && ::getsockname(fd, generic, &size) == 0;
  if (fd >= 0) ::close(fd);
  if (!found) throw std::runtime_error{"no free port on 127.0.0.1"};
  return ntohs(address.sin_port);
}

settings quiet_settings(const std::string& url) {
  settings where = settings::from_url(url).value();
  where.on_warning = [](const warning&) {};
  return where;
}

server::server(const std::string& url, placement clients, bool clustered) : url_{url} {
  if (!url_.empty()) return;
  place_clients(clients);
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (start(free_port(), clients != placement::anywhere, clustered)) return;
  }
  throw std::runtime_error{"redis-server does not start; is it installed? (apt-get install redis-server)"};
}

server::~server() { stop(); }

// False if it left before it answered: the port was taken, or there is no such program.
bool server::start(int port, bool placed, bool clustered) {
  if (clustered) bus_ = std::to_string(free_port());
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"fork failed"};
  if (child == 0) become_redis(parent, std::to_string(port), bus_, placed);
  pid_ = child;
  url_ = "redis://127.0.0.1:" + std::to_string(port);
  const auto limit = std::chrono::steady_clock::now() + start_limit;
  while (std::chrono::steady_clock::now() < limit) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      return false;
    }
    try {
      floor_connection{url_}.ping();
      return true;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(10ms);
    }
  }
  stop();
  throw std::runtime_error{"redis-server did not answer within 10 s"};
}

void server::pause() noexcept {
  if (pid_ > 0) ::kill(pid_, SIGSTOP);
}

void server::resume() noexcept {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

void server::stop() noexcept {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);  // nothing is to be saved
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (!bus_.empty()) ::unlink(nodes_file(url_.substr(url_.rfind(':') + 1)).c_str());
}

}  // namespace holdfast::bench
