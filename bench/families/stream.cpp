// Sockets, Content-Length and chunks; see stream.hpp.
#include "families/stream.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace holdfast::bench {
namespace {

std::string lower(std::string text) {
  for (char& each : text) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return text;
}

std::string chunks(stream& from) {
  std::string all;
  for (;;) {
    const std::size_t size = std::strtoul(from.read_line().c_str(), nullptr, 16);
    all += from.read(size);
    static_cast<void>(from.read_line());  // after the last chunk: the empty trailer
    if (size == 0) return all;
  }
}

}  // namespace

stream::stream(int port) : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (fd_ < 0 || ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (fd_ >= 0) ::close(fd_);
    throw std::runtime_error{"nobody listens on port " + std::to_string(port)};
  }
  const int yes = 1;
  static_cast<void>(::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
}

void stream::give_up_after(std::chrono::milliseconds limit) {
  const timeval length{.tv_sec = limit.count() / 1000, .tv_usec = limit.count() % 1000 * 1000};
  static_cast<void>(::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &length, sizeof length));
}

stream::~stream() { ::close(fd_); }

void stream::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw std::runtime_error{"the connection broke"};
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool stream::fill() {
  char buffer[4096];
  ssize_t got = 0;
  do {
    got = ::recv(fd_, buffer, sizeof buffer, 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw std::runtime_error{"the connection broke"};
  ahead_.append(buffer, static_cast<std::size_t>(got));
  return got > 0;
}

std::string stream::read_line() {
  std::size_t end = 0;
  while ((end = ahead_.find("\r\n")) == std::string::npos) {
    if (!fill()) throw std::runtime_error{"the connection was closed"};
  }
  std::string line = ahead_.substr(0, end);
  ahead_.erase(0, end + 2);
  return line;
}

std::string stream::read(std::size_t length) {
  while (ahead_.size() < length) {
    if (!fill()) throw std::runtime_error{"the connection was closed"};
  }
  std::string text = ahead_.substr(0, length);
  ahead_.erase(0, length);
  return text;
}

std::string stream::read_all() {
  while (fill()) {
  }
  return std::move(ahead_);
}

std::string ask_port(int port, std::string_view word) {
  stream to{port};
  to.give_up_after(std::chrono::seconds{1});
  to.write(word);
  return to.read_all();
}

http_answer post(stream& to, const std::string& path, const std::string& json) {
  to.write("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(json.size()) + "\r\n\r\n" + json);
  const std::string first = to.read_line();  // HTTP/1.1 200 OK
  if (!first.starts_with("HTTP/1.1 ")) throw std::runtime_error{"not HTTP: " + first};
  http_answer answer{.status = std::atoi(first.c_str() + 9), .body = {}};
  std::size_t length = 0;
  bool chunked = false;
  for (std::string line = lower(to.read_line()); !line.empty(); line = lower(to.read_line())) {
    if (line.starts_with("content-length:")) length = std::strtoul(line.c_str() + 15, nullptr, 10);
    if (line.starts_with("transfer-encoding:")) chunked = line.find("chunked") != std::string::npos;
  }
  answer.body = chunked ? chunks(to) : to.read(length);
  return answer;
}

}  // namespace holdfast::bench
