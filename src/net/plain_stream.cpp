// recv() and send(), and what their errors mean. See plain_stream.hpp.
#include "net/plain_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <utility>

namespace holdfast::net {

plain_stream::plain_stream(int fd, std::string peer, failure early) : stream{fd, std::move(peer), std::move(early)} {}

io_result plain_stream::progress() {
  const io_result step = finish_connect();
  if (step.what == io::done && !usable_) {
    usable_ = true;
    // From here on the socket blocks, for a little while, unless a call says MSG_DONTWAIT: read_waiting() does not.
    const timeval wait{0, std::chrono::microseconds{longest_wait}.count()};
    const int flags = ::fcntl(fd(), F_GETFL);
    waits_ = ::setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0 && flags >= 0 &&
             ::fcntl(fd(), F_SETFL, flags & ~O_NONBLOCK) == 0;
  }
  return step;
}

io_result plain_stream::receive(std::span<char> into, int flags) {
  if (into.empty()) return {io::done, 0};
  for (;;) {
    const ssize_t count = ::recv(fd(), into.data(), into.size(), flags);
    if (count > 0) return {io::done, static_cast<std::size_t>(count)};
    if (count == 0) return stop_at_end();
    if (errno == EINTR) {
      if (flags == 0) return {io::again, 0};  // the wait would start anew
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {io::again, 0};
    return stop_with_errno("read from", errno);
  }
}

io_result plain_stream::read(std::span<char> into) { return receive(into, MSG_DONTWAIT); }
io_result plain_stream::read_waiting(std::span<char> into) { return receive(into, 0); }

io_result plain_stream::write(std::string_view from) {
  if (from.empty()) return {io::done, 0};
  for (;;) {
    const ssize_t count = ::send(fd(), from.data(), from.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) return {io::done, static_cast<std::size_t>(count)};
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {io::again, 0};
    return stop_with_errno("write to", errno);
  }
}

short plain_stream::wanted() const { return usable_ ? short{0} : short{POLLOUT}; }

}  // namespace holdfast::net
