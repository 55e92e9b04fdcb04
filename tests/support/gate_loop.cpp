// Implements the part of gate_loop that is about sockets: polling, reading, writing, closing. What happens to a message
// in between is in gate_messages.cpp.
#include "support/gate_loop.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "support/loopback.hpp"

namespace holdfast::test {
namespace {

constexpr int backlog = 128;

using got = gate_loop::read_result;

got read_some(int socket, std::string& into) {
  char bytes[16384];
  const ssize_t size = ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return got::nothing;
  if (size <= 0) return got::end;
  into.assign(bytes, static_cast<std::size_t>(size));
  return got::bytes;
}

}  // namespace

gate_loop::read_result gate_loop::read_unless_stalled(int socket, short events, std::string& into) const {
  if ((events & ~POLLOUT) == 0) return got::nothing;
  if (!is(fault::kind::stall)) return read_some(socket, into);
  return (events & (POLLRDHUP | POLLHUP | POLLERR)) != 0 ? got::end : got::nothing;
}

gate_loop::gate_loop(std::uint16_t target_port, int wake_fd)
    : target_port_{target_port}, wake_fd_{wake_fd}, listener_{bind_loopback(0)}, port_{local_port(listener_.get())} {
  listen_again();
}

void gate_loop::listen_again() {
  if (std::exchange(listening_, true)) return;
  if (::listen(listener_.get(), backlog) != 0) throw std::system_error{errno, std::generic_category(), "gate: listen"};
}

// A bound socket that does not listen refuses connections and still keeps the port from being taken by others.
void gate_loop::stop_listening() {
  if (!std::exchange(listening_, false)) return;
  listener_.reset();
  listener_ = bind_loopback(port_);
}

void gate_loop::apply(const fault& next) {
  using kind = fault::kind;
  const bool instant = next.what == kind::reset || next.what == kind::cut;
  if (instant || next.what == kind::down) close_everything(next.what == kind::reset);
  fault_ = instant ? fault::pass() : next;
  for (auto& c : connections_) c.budget = next.count;
  if (is(kind::refuse) || is(kind::down)) {
    stop_listening();
  } else {
    listen_again();
  }
}

void gate_loop::set(const fault& next) {
  apply(next);
  sweep();
}

void gate_loop::turn() {
  std::vector<pollfd> fds{{wake_fd_, POLLIN, 0}, {listening_ ? listener_.get() : -1, POLLIN, 0}};
  const bool stalled = is(fault::kind::stall);
  // While stalled nothing is read, but a client that goes away must still be noticed.
  const auto client_wants = static_cast<short>(stalled ? POLLRDHUP : POLLIN);
  const auto server_wants = static_cast<short>(stalled ? 0 : POLLIN);
  std::vector<connection*> order;
  for (auto& c : connections_) {
    order.push_back(&c);
    fds.push_back(
        {c.client.get(), static_cast<short>(client_wants | (!stalled && c.to_client.blocked() ? POLLOUT : 0)), 0});
    fds.push_back(
        {c.server.get(), static_cast<short>(server_wants | (!stalled && c.to_server.blocked() ? POLLOUT : 0)), 0});
  }
  const std::size_t drains_from = fds.size();
  for (const auto& fd : draining_) fds.push_back({fd.get(), POLLIN, 0});

  if (::poll(fds.data(), fds.size(), poll_timeout()) < 0 && errno != EINTR) {
    throw std::system_error{errno, std::generic_category(), "gate: poll"};
  }
  if (fds[0].revents != 0) {
    eventfd_t ignored = 0;
    (void)::eventfd_read(wake_fd_, &ignored);
  }
  auto drain = draining_.begin();
  for (std::size_t i = drains_from; i < fds.size(); ++i) {
    std::string ignored;
    const bool ended = fds[i].revents != 0 && read_some(fds[i].fd, ignored) == got::end;
    drain = ended ? draining_.erase(drain) : std::next(drain);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    connection& c = *order[i];
    const short from_client = fds[2 + 2 * i].revents;
    const short from_server = fds[3 + 2 * i].revents;
    // An earlier connection of this turn may have closed this one or changed the fault: each step looks again.
    if (c.server) read_server(c, from_server);
    if (c.client) read_client(c, from_client);
    flush(c);
  }
  if (fds[1].revents != 0 && listening_) accept_all();
  sweep();
}

void gate_loop::accept_all() {
  for (;;) {
    unique_fd client{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!client) return;
    set_no_delay(client.get());
    connection& c = connections_.emplace_back();
    c.client = std::move(client);
    c.server = start_connect(target_port_);
    c.budget = fault_.count;
    ++accepted;
    ++open_connections;
  }
}

void gate_loop::read_client(connection& c, short events) {
  std::string bytes;
  const got what = read_unless_stalled(c.client.get(), events, bytes);
  if (what == got::bytes) {
    c.requests.feed(bytes);
    while (c.client) {
      auto message = c.requests.next();
      if (!message) break;
      on_request(c, std::move(*message));
    }
  } else if (what == got::end) {
    c.client.reset();
    --open_connections;
  }
}

void gate_loop::read_server(connection& c, short events) {
  std::string bytes;
  const got what = read_unless_stalled(c.server.get(), events, bytes);
  if (what == got::bytes) {
    c.replies.feed(bytes);
    while (c.server) {
      auto message = c.replies.next();
      if (!message) break;
      on_reply(c, std::move(*message));
    }
  } else if (what == got::end) {
    c.server.reset();
  }
}

void gate_loop::flush(connection& c) {
  if (is(fault::kind::stall)) return;
  const std::size_t most = is(fault::kind::slice) ? fault_.count : 0;
  const auto now = gate_clock::now();
  if (c.server) {
    const auto written = c.to_server.flush(c.server.get(), most, now);
    bytes_to_server += written.value_or(0);
    if (!written) c.server.reset();
  }
  if (c.client) {
    const auto written = c.to_client.flush(c.client.get(), most, now);
    bytes_to_client += written.value_or(0);
    if (!written) {
      c.client.reset();
      --open_connections;
    }
  }
}

// The server's side is ended in order even when the client gets a RST: what was forwarded must still be executed, and
// closing a socket with unread replies could make the kernel reset it under the server's nose.
void gate_loop::close_both(connection& c, bool with_reset) {
  if (c.client) {
    if (with_reset) {
      const linger now{1, 0};
      ::setsockopt(c.client.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    c.client.reset();
    --open_connections;
  }
  if (c.server) {
    ::shutdown(c.server.get(), SHUT_WR);
    draining_.push_back(std::move(c.server));
  }
}

void gate_loop::close_everything(bool with_reset) {
  // Clients that are connected as far as they know, but not accepted yet, count as existing.
  if (listening_) accept_all();
  for (auto& c : connections_) close_both(c, with_reset);
}

// Passes closes on, unless the fault hides them, and forgets what is over.
void gate_loop::sweep() {
  for (auto& c : connections_) {
    flush(c);
    const bool client_left = !c.client && !hides_close(direction::to_server);
    const bool server_left =
        !c.server && c.to_client.empty() && !hides_close(direction::to_client) && !is(fault::kind::stall);
    if (client_left || server_left) close_both(c, false);
  }
  std::erase_if(connections_, [](const connection& c) { return !c.client && !c.server; });
}

int gate_loop::poll_timeout() const {
  if (is(fault::kind::stall)) return -1;
  std::optional<gate_clock::time_point> first;
  for (const auto& c : connections_) {
    const auto server = c.server ? c.to_server.next_due() : std::nullopt;
    const auto client = c.client ? c.to_client.next_due() : std::nullopt;
    for (const auto& due : {server, client}) {
      if (due && (!first || *due < *first)) first = due;
    }
  }
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - gate_clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

}  // namespace holdfast::test
