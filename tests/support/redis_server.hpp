// A real redis-server of the test's own, on a free loopback port and a Unix socket, in its own directory.
//
// Ready (it has answered PING) when the constructor returns; gone with the object, or with the test if that dies first
// (see process.hpp for the thread it must be started from). Settings go through a file: no password shows in `ps`.
// Without `appendonly` nothing is kept across a restart: data loss is one call away.
//
// The questions (command, text, ...) travel over the Unix socket on a connection of their own, so they work whatever
// happens to the TCP port, and with TLS or ACLs. They count in commands_processed() and command_calls().
// Thread safety: none; one thread at a time. Failures throw std::runtime_error, with the end of the server's log.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/redis_connection.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

struct tls_files {
  std::string certificate;
  std::string key;
  std::string authority;
  bool clients_need_certificate = false;
};

struct redis_options {
  std::vector<std::string> config{};          // further lines of redis.conf; they come last and win
  std::vector<std::string> users{};           // ACL lines, e.g. "user app on >secret ~app:* +@all"
  std::string requirepass{};                  // the default user's password
  bool appendonly = false;                    // each write is on disk before its reply
  std::optional<tls_files> tls{};             // adds a TLS port beside the plain one
  std::optional<std::uint16_t> replica_of{};  // the primary's port
  std::string program = "redis-server";
};

class redis_server {
 public:
  explicit redis_server(redis_options options = {});
  ~redis_server();
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint16_t tls_port() const { return tls_port_; }
  [[nodiscard]] std::string unix_path() const { return dir_.file("redis.sock"); }
  [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string tls_url() const { return "rediss://127.0.0.1:" + std::to_string(tls_port_); }
  [[nodiscard]] std::string unix_url() const { return "unix://" + unix_path(); }
  [[nodiscard]] pid_t pid() const { return process_ ? process_->pid() : -1; }

  void stop();     // SIGTERM, and SIGKILL if it is still there after 3 s
  void kill();     // SIGKILL: nothing is flushed, connections are reset
  void restart();  // stop if it runs, then start on the same ports and directory
  void pause();    // SIGSTOP: the kernel still accepts connections, nothing answers
  void resume();
  void hang_up() {
    control_.reset();
  }  // the next question goes over a new connection: somebody may have ended this one

  reply command(const std::vector<std::string>& args);
  std::string text(const std::vector<std::string>& args) { return control().text(args); }
  long long number(const std::vector<std::string>& args) { return control().number(args); }
  std::vector<std::string> list(const std::vector<std::string>& args) { return control().list(args); }

  [[nodiscard]] std::vector<std::string> keys();                 // by SCAN, sorted
  [[nodiscard]] std::vector<std::string> keys_without_expiry();  // those with TTL -1
  [[nodiscard]] long long command_calls(const std::string& name);
  [[nodiscard]] long long commands_processed();

  // A new connection to the plain port, with this server's password.
  [[nodiscard]] redis_connection connect(std::chrono::milliseconds limit = std::chrono::seconds{5}) const;
  [[nodiscard]] std::string log() const;

 private:
  redis_connection& control();
  void write_config() const;
  bool try_start();
  void start();
  std::string why_not();

  redis_options options_;
  temp_dir dir_;
  std::uint16_t port_ = 0;
  std::uint16_t tls_port_ = 0;
  std::optional<process> process_;
  std::optional<redis_connection> control_;
};

}  // namespace holdfast::test
