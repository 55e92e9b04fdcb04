// A server that greets like Redis and then misbehaves on purpose; or misbehaves from the first byte.
//
// One thread per connection: it answers the greeting, and at the request that contains `needle` it writes `attack.bytes`,
// over and over if `endless`, and then closes or stays silent on that connection. Thread safety: start and destroy from one thread.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <list>
#include <string>
#include <thread>

#include "scripts/sources.hpp"
#include "support/loopback.hpp"
#include "support/resp_frames.hpp"

namespace holdfast::test {

struct attack {
  const char* name;
  std::string needle;  // the request that is answered so; "" is the very first
  std::string bytes;
  bool endless = false;
  bool closes = false;
};

class hostile_server {
 public:
  explicit hostile_server(attack how) : how_{std::move(how)}, listener_{bind_loopback(0)} {
    ::listen(listener_.get(), 16);
    thread_ = std::jthread{[this](const std::stop_token& stop) { accept_all(stop); }};
  }
  [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(local_port(listener_.get())); }
  [[nodiscard]] int attacks() const { return attacks_; }

 private:
  static bool ready(int socket, short what) {
    pollfd entry{socket, what, 0};
    return ::poll(&entry, 1, 20) > 0;
  }

  void accept_all(const std::stop_token& stop) {
    std::list<std::jthread> connections;  // joined on leaving
    while (!stop.stop_requested()) {
      if (!ready(listener_.get(), POLLIN)) continue;
      const int client = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (client >= 0) connections.emplace_back([this, stop, client] { serve(unique_fd{client}, stop); });
    }
  }

  static bool write_all(int socket, std::string_view bytes, const std::stop_token& stop) {
    while (!bytes.empty() && !stop.stop_requested()) {
      const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN) return false;
      if (sent < 0) ready(socket, POLLOUT);
    }
    return bytes.empty();
  }

  static std::string greeting_answer(const std::string& request) {
    if (request.find("HELLO") != std::string::npos) {
      return "%3\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:7\r\n";
    }
    if (request.find("SUBSCRIBE") != std::string::npos) return ">3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n";
    if (request.find("INFO") != std::string::npos) return "$0\r\n\r\n";
    if (request.find(scripts::renew.sha1) != std::string::npos) return "$4\r\nkept\r\n";
    if (request.find("EVAL") != std::string::npos) return "$12\r\ngranted 1000\r\n";
    return "+OK\r\n";
  }

  void serve(unique_fd client, const std::stop_token& stop) {
    resp_frames requests;
    bool silent = false;
    while (!stop.stop_requested()) {
      if (!ready(client.get(), POLLIN)) continue;
      char bytes[16384];
      const auto size = ::recv(client.get(), bytes, sizeof bytes, 0);
      if (size <= 0) return;
      requests.feed({bytes, static_cast<std::size_t>(size)});
      while (auto request = requests.next()) {
        if (silent) continue;
        if (request->find(how_.needle) == std::string::npos) {
          if (!write_all(client.get(), greeting_answer(*request), stop)) return;
          continue;
        }
        ++attacks_;
        bool whole = write_all(client.get(), how_.bytes, stop);
        while (how_.endless && whole) whole = write_all(client.get(), how_.bytes, stop);
        if (how_.closes || !whole) return;
        silent = true;
      }
    }
  }

  attack how_;
  unique_fd listener_;
  std::atomic<int> attacks_{0};
  std::jthread thread_;
};

}  // namespace holdfast::test
