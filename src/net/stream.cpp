// What all streams share: finishing a non-blocking connect(), and keeping the first problem. See stream.hpp.
#include "net/stream.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace holdfast::net {
namespace {

// On loopback a connect() to a port that nobody listens on can be given that very port as its own and meet itself. It
// would echo our commands, and keep the real server from binding its port.
bool connected_to_itself(int fd) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_size = sizeof here;
  socklen_t there_size = sizeof there;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&here), &here_size) != 0) return false;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&there), &there_size) != 0) return false;
  if (here.ss_family != AF_INET && here.ss_family != AF_INET6) return false;
  return here_size == there_size && std::memcmp(&here, &there, here_size) == 0;
}

}  // namespace

stream::stream(int fd, std::string peer, failure early) : fd_{fd}, peer_{std::move(peer)}, problem_{std::move(early)} {}

stream::~stream() {
  if (fd_ >= 0) ::close(fd_);
}

io_result stream::finish_connect() {
  if (has_problem()) return {io::failed, 0};
  if (connected_) return {io::done, 0};
  pollfd ready{fd_, POLLOUT, 0};
  const int count = ::poll(&ready, 1, 0);
  if (count == 0 || (count < 0 && errno == EINTR)) return {io::again, 0};
  int number = 0;
  socklen_t size = sizeof number;
  if (count < 0 || ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &number, &size) != 0) number = errno;
  if (number == 0 && connected_to_itself(fd_)) number = ECONNREFUSED;
  if (number != 0) return stop_with_errno("connect to", number);
  connected_ = true;
  return {io::done, 0};
}

io_result stream::stop(io what, failure why) {
  const std::lock_guard hold{problem_guard_};
  if (problem_.code == errc{}) problem_ = std::move(why);
  return {what, 0};
}

io_result stream::stop_with_errno(std::string_view doing, int number) {
  std::string text = "cannot ";
  text.append(doing).append(" ").append(peer_).append(": ").append(std::system_category().message(number));
  if (number == ECONNREFUSED || number == ENOENT) text += "; is Redis running there?";
  return stop(io::failed, {errc::unreachable, std::move(text)});
}

io_result stream::stop_at_end() { return stop(io::closed, {errc::unreachable, peer_ + " closed the connection"}); }

bool stream::has_problem() const {
  const std::lock_guard hold{problem_guard_};
  return problem_.code != errc{};
}

}  // namespace holdfast::net
