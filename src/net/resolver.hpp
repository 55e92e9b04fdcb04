// Turns a host's name into addresses without blocking.
//
// getaddrinfo() has no time limit and cannot be ended, so it runs on a detached thread that owns nothing but a shared
// state. Whoever no longer waits just drops the resolver.
//
// Place: the multiplexed connection asks it before each dial(). Thread safety: one thread calls start() and poll().
// Invariants: `wake` is never called after the resolver's destructor returned, nor after a later start(); a lookup of
// the same host and port that is still under way is joined and not repeated, so a dead name server costs one thread.
#pragma once

#include <holdfast/result.hpp>

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::net {

struct address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text;  // for people: "127.0.0.1:6379", "[::1]:6379", "/run/redis.sock"
};

// The address when `host` is written in numbers, IPv4 or IPv6.
[[nodiscard]] std::optional<address> numeric_address(const std::string& host, std::uint16_t port);

// The address of a Unix socket. bad_option when the path is empty or too long for the kernel.
[[nodiscard]] result<address> unix_address(const std::string& path);

class resolver {
 public:
  resolver() = default;
  ~resolver();
  resolver(const resolver&) = delete;
  resolver& operator=(const resolver&) = delete;

  // Numbers are answered at once, without a thread and without `wake`: call poll() straight after. Otherwise `wake` is
  // called once, on another thread, with a lock held: it may only signal, and must not call the resolver.
  void start(std::string host, std::uint16_t port, std::function<void()> wake);

  // Nothing while the lookup is under way; then its outcome, once.
  [[nodiscard]] std::optional<result<std::vector<address>>> poll();

 private:
  struct lookup;
  void abandon();
  std::shared_ptr<lookup> current_;
};

}  // namespace holdfast::net
