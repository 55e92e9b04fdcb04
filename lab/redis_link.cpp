#include "redis_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lab {
namespace {

using std::chrono::steady_clock;

std::string encoded(const words& command) {
  std::string out = "*" + std::to_string(command.size()) + "\r\n";
  for (const std::string& each : command) out += "$" + std::to_string(each.size()) + "\r\n" + each + "\r\n";
  return out;
}

}  // namespace

redis_link::redis_link(std::string socket, std::chrono::milliseconds limit)
    : socket_{std::move(socket)}, limit_{limit} {}

redis_link::~redis_link() { close(); }

redis_link::redis_link(redis_link&& other) noexcept
    : socket_{std::move(other.socket_)},
      limit_{other.limit_},
      received_{std::move(other.received_)},
      fd_{std::exchange(other.fd_, -1)} {}

void redis_link::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  received_.clear();
}

void redis_link::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.c_str(), std::min(socket_.size(), sizeof address.sun_path - 1));
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  const std::string why = std::strerror(errno);
  close();
  throw link_broken{why};
}

void redis_link::send_all(const std::string& bytes) {
  std::string_view rest{bytes};
  while (!rest.empty()) {
    const auto sent = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw link_broken{std::strerror(errno)};
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void redis_link::receive_more() {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - steady_clock::now());
    pollfd wait{fd_, POLLIN, 0};
    const int ready = left.count() < 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left.count()) + 1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) throw link_broken{"no answer within " + std::to_string(limit_.count()) + " ms"};
    std::array<char, 16384> buffer{};
    const auto got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw link_broken{"the server closed the connection"};
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    return;
  }
}

std::string redis_link::line() {
  for (;;) {
    if (const auto end = received_.find("\r\n"); end != std::string::npos) {
      std::string out = received_.substr(0, end);
      received_.erase(0, end + 2);
      return out;
    }
    receive_more();
  }
}

std::string redis_link::reply() {
  std::string head = line();
  if (head.empty()) throw link_broken{"an empty answer"};
  const char kind = head.front();
  if (kind == '-') return head;
  std::string rest = head.substr(1);
  if (kind == '+' || kind == ':') return rest;
  const long count = std::stol(rest);
  if (count < 0) return "(nil)";
  if (kind == '$') {
    const auto size = static_cast<std::size_t>(count);
    while (received_.size() < size + 2) receive_more();
    std::string out = received_.substr(0, size);
    received_.erase(0, size + 2);
    return out;
  }
  std::string out;
  for (long i = 0; i < count; ++i) out += (i > 0 ? " " : "") + reply();
  return out;
}

std::string redis_link::ask(const words& command) {
  until_ = steady_clock::now() + limit_;
  try {
    if (fd_ < 0) connect();
    send_all(encoded(command));
    return reply();
  } catch (const link_broken&) {
    close();  // a late answer would be taken for the next one's
    throw;
  }
}

}  // namespace lab
