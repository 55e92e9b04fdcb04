// A redis-server of the demonstration's own: in a fresh directory, on a Unix socket, gone with this object.
//
// Not the user's private Redis: the demonstration should neither meet nor leave anything there.
#pragma once

#include <sys/types.h>

#include <string>

namespace demo {

class server {
 public:
  server();  // throws when redis-server is missing or does not start
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  [[nodiscard]] std::string url() const { return "unix://" + directory_ + "/redis.sock"; }

 private:
  void end() noexcept;
  std::string directory_;
  pid_t pid_ = -1;
};

}  // namespace demo
