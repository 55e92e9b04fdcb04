// recv() and send(), and what their errors mean. See plain_stream.hpp.
#include "net/plain_stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace holdfast::net {

plain_stream::plain_stream(int fd, std::string peer, failure early) : stream{fd, std::move(peer), std::move(early)} {}

io_result plain_stream::progress() {
  const io_result step = finish_connect();
  if (step.what == io::done) usable_ = true;
  return step;
}

io_result plain_stream::read(std::span<char> into) {
  if (into.empty()) return {io::done, 0};
  for (;;) {
    const ssize_t count = ::recv(fd(), into.data(), into.size(), 0);
    if (count > 0) return {io::done, static_cast<std::size_t>(count)};
    if (count == 0) return stop_at_end();
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {io::again, 0};
    return stop_with_errno("read from", errno);
  }
}

io_result plain_stream::write(std::string_view from) {
  if (from.empty()) return {io::done, 0};
  for (;;) {
    const ssize_t count = ::send(fd(), from.data(), from.size(), MSG_NOSIGNAL);
    if (count >= 0) return {io::done, static_cast<std::size_t>(count)};
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {io::again, 0};
    return stop_with_errno("write to", errno);
  }
}

short plain_stream::wanted() const { return usable_ ? short{0} : short{POLLOUT}; }

}  // namespace holdfast::net
