// The Redis to measure against: the one at a URL, or one of our own on a free loopback port, without persistence, gone
// with the object. If this process dies first the kernel ends it; that guard is tied to the thread that started it, so
// start it from main's. Throws std::runtime_error. Not thread-safe.
#pragma once

#include "placement.hpp"

#include <holdfast/settings.hpp>

#include <sys/types.h>

#include <string>

namespace holdfast::bench {

// On 127.0.0.1, free a moment ago; whoever uses it must be ready to try another.
int free_port();

// The settings for a client of it. Without warnings: that it keeps nothing on disk is meant.
settings quiet_settings(const std::string& url);

class server {
 public:
  // An empty URL starts one, and puts the calling thread where it says; somebody else's server leaves it anywhere.
  explicit server(const std::string& url = {}, placement clients = placement::anywhere) : server{url, clients, false} {}
  // A node of a cluster that is to be made (cluster.cpp): knows nobody, serves no slots.
  static server cluster_node(placement clients) { return server{{}, clients, true}; }
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  // SIGSTOP: the kernel takes what is sent, nothing answers. Ours only.
  void pause() noexcept;
  void resume() noexcept;

  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  // The port at which other nodes of a cluster reach it.
  [[nodiscard]] const std::string& bus() const noexcept { return bus_; }

 private:
  server(const std::string& url, placement clients, bool clustered);
  bool start(int port, bool placed, bool clustered);
  void stop() noexcept;

  std::string url_;
  std::string bus_;  // empty: not a node of a cluster
  pid_t pid_ = -1;   // -1: not ours
};

}  // namespace holdfast::bench
