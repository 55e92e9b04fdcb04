// A server that answers what a test wants: a thread behind a loopback port, one answer per request.
//
//   fake_server liar{[](const std::string& request) { return "+OK\r\n"; }};   // "" leaves the request unanswered
//
// `polite` answers HELLO, SELECT and SUBSCRIBE as Redis does, so that a test can lie later.
// Thread safety: the answer function runs on the server's thread; connections are served one at a time by one thread
// each, and all threads are joined by the destructor.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "support/loopback.hpp"
#include "support/resp_frames.hpp"
#include "support/unique_fd.hpp"

namespace holdfast::test {

class fake_server {
 public:
  using answer = std::function<std::string(const std::string& request)>;

  // `hang_up`: closes the connection after an answer that is not one of the polite ones.
  explicit fake_server(answer how, bool hang_up = false) : how_{std::move(how)}, hang_up_{hang_up} {
    listener_ = bind_loopback(0);
    ::listen(listener_.get(), 16);
    port_ = local_port(listener_.get());
    acceptor_ = std::thread{[this] { accept_all(); }};
  }
  ~fake_server() {
    ending_ = true;
    acceptor_.join();
    for (auto& each : servants_) each.join();
  }
  fake_server(const fake_server&) = delete;
  fake_server& operator=(const fake_server&) = delete;

  [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

  // What Redis answers to the greeting; nothing for any other request.
  static std::optional<std::string> polite(const std::string& request) {
    if (request.find("HELLO") != std::string::npos) {
      return "%2\r\n$6\r\nserver\r\n$5\r\nredis\r\n$2\r\nid\r\n:7\r\n";
    }
    if (request.find("SUBSCRIBE") != std::string::npos) {
      const auto at = request.find("holdfast:inbox:");
      const std::string channel = request.substr(at, request.find('\r', at) - at);
      return ">3\r\n$9\r\nsubscribe\r\n$" + std::to_string(channel.size()) + "\r\n" + channel + "\r\n:1\r\n";
    }
    if (request.find("SELECT") != std::string::npos || request.find("CLIENT") != std::string::npos) return "+OK\r\n";
    if (request.find("PING") != std::string::npos) return "+PONG\r\n";
    if (request.find("INFO") != std::string::npos) return "$0\r\n\r\n";
    return std::nullopt;
  }

 private:
  void accept_all() {
    while (!ending_) {
      pollfd ready{listener_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 20) <= 0) continue;
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd >= 0) servants_.emplace_back([this, mine = unique_fd{fd}] { serve(mine.get()); });
    }
  }

  void serve(int fd) {
    resp_frames frames;
    char bytes[4096];
    while (!ending_) {
      pollfd ready{fd, POLLIN, 0};
      if (::poll(&ready, 1, 20) <= 0) continue;
      const ssize_t got = ::recv(fd, bytes, sizeof bytes, 0);
      if (got <= 0) return;
      frames.feed({bytes, static_cast<std::size_t>(got)});
      while (auto request = frames.next()) {
        const std::string text = how_(*request);
        if (!send_all(fd, text)) return;
        if (hang_up_ && !text.empty() && !polite(*request)) {
          ::shutdown(fd, SHUT_WR);
          return;
        }
      }
    }
  }

  bool send_all(int fd, const std::string& text) {
    std::size_t at = 0;
    while (at < text.size() && !ending_) {
      pollfd ready{fd, POLLOUT, 0};
      if (::poll(&ready, 1, 20) <= 0) continue;
      const ssize_t put = ::send(fd, text.data() + at, text.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (put < 0) return false;
      at += static_cast<std::size_t>(put);
    }
    return true;
  }

  answer how_;
  bool hang_up_;
  unique_fd listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_{false};
  std::list<std::thread> servants_;  // only the acceptor adds, and it is joined first
  std::thread acceptor_;
};

}  // namespace holdfast::test
