// socket(), its options, connect(). See dial.hpp.
#include "net/dial.hpp"

#include "net/plain_stream.hpp"
#include "net/tls_stream.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast::net {
namespace {

using std::chrono::milliseconds;

// Unacknowledged data ends the connection after this long, where the kernel's own patience is a quarter of an hour.
int user_timeout(milliseconds command_timeout) {
  const milliseconds bounded = std::clamp(command_timeout, milliseconds{0}, milliseconds{INT_MAX / 3});
  return static_cast<int>(std::max(bounded * 3, milliseconds{5000}).count());
}

// Refinements: a system that refuses one of them still carries the bytes, so the answers are not looked at.
void tune(int fd, const settings& how) {
  const int on = 1;
  const int patience = user_timeout(how.command_timeout);
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
}

failure unreachable(const address& where, int number) {
  std::string text = "cannot connect to " + where.text + ": " + std::system_category().message(number);
  if (number == ECONNREFUSED || number == ENOENT) text += "; is Redis running there?";
  if (number == EAGAIN) text += "; the server's queue of new connections is full";
  return {errc::unreachable, std::move(text)};
}

}  // namespace

std::unique_ptr<stream> dial(const settings& how, const address& where, std::shared_ptr<const tls_context> tls) {
  failure early;
  const int fd = ::socket(where.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    early = unreachable(where, errno);
  } else {
    if (where.storage.ss_family != AF_UNIX) tune(fd, how);
    // EINTR does not end a non-blocking connect(): it goes on, as with EINPROGRESS. A Unix socket says EAGAIN for a
    // full queue and then does not go on; polling it would spin.
    const int status = ::connect(fd, reinterpret_cast<const sockaddr*>(&where.storage), where.size);
    if (status != 0 && errno != EINPROGRESS && errno != EINTR) early = unreachable(where, errno);
  }
  if (how.transport != transport::tls) return std::make_unique<plain_stream>(fd, where.text, std::move(early));
  return std::make_unique<tls_stream>(fd, where.text, std::move(early), std::move(tls));
}

}  // namespace holdfast::net
