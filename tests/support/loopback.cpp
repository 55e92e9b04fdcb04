// Implements loopback.hpp.
#include "support/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace holdfast::test {
namespace {

sockaddr_in loopback_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

unique_fd tcp_socket() {
  unique_fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd) throw std::system_error{errno, std::generic_category(), "socket"};
  return fd;
}

}  // namespace

unique_fd bind_loopback(std::uint16_t port) {
  unique_fd fd = tcp_socket();
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = loopback_address(port);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::system_error{errno, std::generic_category(), "bind to 127.0.0.1:" + std::to_string(port)};
  }
  return fd;
}

std::uint16_t local_port(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::system_error{errno, std::generic_category(), "getsockname"};
  }
  return ntohs(address.sin_port);
}

std::uint16_t free_port() { return local_port(bind_loopback(0).get()); }

unique_fd start_connect(std::uint16_t port) {
  unique_fd fd = tcp_socket();
  set_no_delay(fd.get());
  const sockaddr_in address = loopback_address(port);
  const int rc = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (rc != 0 && errno != EINPROGRESS) fd.reset();
  return fd;
}

void set_no_delay(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace holdfast::test
