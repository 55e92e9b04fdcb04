// A redis-server of the caller's own: in a fresh directory, on a Unix socket, gone with this object.
//
// Not the user's private Redis: a show should neither meet nor leave anything there. Ends only what it started, by pid.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace backstage {

struct server_options {
  std::vector<std::string> settings{};  // "--appendonly", "yes", …: after ours, so they win
  std::vector<std::pair<std::string, std::string>> environment{};  // added to ours
  bool tcp = false;                                                // also on a free loopback port: replicas need one
};

class server {
 public:
  // Throws when redis-server is missing or does not start.
  explicit server(server_options how = {});
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  [[nodiscard]] std::string socket() const { return directory_ + "/redis.sock"; }
  [[nodiscard]] std::string url() const { return "unix://" + socket(); }
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
  [[nodiscard]] int port() const noexcept { return port_; }  // 0: none

  void kill();   // SIGKILL: no farewell to disk
  void start();  // again, in the same directory, after kill()
  void stop();   // SIGSTOP, until resume(); returns when it stands
  void resume();

 private:
  void start_first();
  void await_listening();
  void end() noexcept;

  server_options how_;
  std::string directory_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace backstage
