// The Redis to measure against: the one at a URL, or one of our own on a free loopback port, without persistence, gone
// with the object. If this process dies first the kernel ends it; that guard is tied to the thread that started it, so
// start it from main's. Throws std::runtime_error. Not thread-safe.
#pragma once

#include "placement.hpp"

#include <holdfast/settings.hpp>

#include <sys/types.h>

#include <string>

namespace holdfast::bench {

// The settings for a client of it. Without warnings: that it keeps nothing on disk is meant.
settings quiet_settings(const std::string& url);

class server {
 public:
  // An empty URL starts one, and puts the calling thread where it says; somebody else's server leaves it anywhere.
  explicit server(const std::string& url = {}, placement clients = placement::anywhere);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  // SIGSTOP: the kernel takes what is sent, nothing answers. Ours only.
  void pause() noexcept;
  void resume() noexcept;

  [[nodiscard]] const std::string& url() const noexcept { return url_; }

 private:
  bool start(int port, bool placed);
  void stop() noexcept;

  std::string url_;
  pid_t pid_ = -1;  // -1: not ours
};

}  // namespace holdfast::bench
