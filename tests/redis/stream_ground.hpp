// What the tests of streams share: a silent listener, connecting, and asking.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/dial.hpp"
#include "net/resolver.hpp"
#include "support/redis_server.hpp"

namespace holdfast::net {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using test::redis_server;

constexpr auto generous = 30s;

// A socket on a free loopback port; listening or, after close(), a port that is very likely unused.
class listener {
 public:
  listener() : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&any), size) != 0 || ::listen(fd_, 8) != 0) std::abort();
    if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&any), &size) != 0) std::abort();
    port = ntohs(any.sin_port);
  }
  ~listener() { close(); }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  [[nodiscard]] int accept() const { return ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  std::uint16_t port = 0;

 private:
  int fd_;
};

inline address loopback(std::uint16_t port) { return *numeric_address("127.0.0.1", port); }

inline io_result connect(stream& over) {
  const auto limit = clock::now() + generous;
  for (;;) {
    const io_result step = over.progress();
    if (step.what != io::again || clock::now() > limit) return step;
    pollfd ready{over.fd(), over.wanted(), 0};
    ::poll(&ready, 1, 100);
  }
}

// Sends all and returns the first `size` bytes of the answer; fewer when the stream ended.
inline std::string ask(stream& over, std::string_view question, std::size_t size) {
  const auto limit = clock::now() + generous;
  std::string answer;
  std::vector<char> part(65536);
  while (answer.size() < size && clock::now() < limit) {
    if (!question.empty()) {
      const io_result sent = over.write(question);
      if (sent.what == io::failed) break;
      question.remove_prefix(sent.bytes);
    }
    const io_result got = over.read(part);
    if (got.what == io::done) answer.append(part.data(), got.bytes);
    if (got.what == io::closed || got.what == io::failed) break;
    if (got.what != io::again || over.pending()) continue;
    const auto output = static_cast<short>(question.empty() ? 0 : POLLOUT);
    pollfd ready{over.fd(), static_cast<short>(POLLIN | output | over.wanted()), 0};
    ::poll(&ready, 1, 100);
  }
  return answer;
}

inline std::string ping(stream& over) { return ask(over, "PING\r\n", 7); }

}  // namespace holdfast::net
