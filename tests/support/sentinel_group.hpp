// A Sentinel deployment of the test's own: real redis-servers, one primary and its replicas, and real Sentinels that watch
// them; on free loopback ports, in directories of their own, stopped by pid with the object.
//
// Settled when the constructor returns: the replicas are in step, and every Sentinel knows all replicas and all other
// Sentinels, so a failover can succeed. Thread safety: none; one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

struct sentinel_options {
  std::vector<std::string> config{};  // further lines of sentinel.conf
  std::string password{};             // that Sentinels ask for
  std::optional<tls_files> tls{};     // instead of the plain port
};

// One Sentinel process.
class sentinel {
 public:
  // Watches the server at `port` under the name "locks". `lines`: how ("sentinel down-after-milliseconds locks 1000").
  sentinel(std::uint16_t port, const std::vector<std::string>& lines, sentinel_options options = {});
  ~sentinel();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void kill();
  void pause() { process_->pause(); }
  void resume() { process_->resume(); }
  [[nodiscard]] redis_connection connect() const;
  // The port of the primary that it names.
  [[nodiscard]] std::uint16_t primary() const;
  // A field of SENTINEL MASTER.
  [[nodiscard]] std::string field(const std::string& name) const;
  [[nodiscard]] std::string log() const;

 private:
  sentinel_options options_;
  temp_dir dir_;
  std::uint16_t port_ = 0;
  std::optional<process> process_;
};

struct sentinel_group_options {
  std::size_t replicas = 2;
  std::size_t sentinels = 3;
  redis_options redis{};                   // of every server
  std::vector<std::string> watch_lines{};  // further lines about the watched primary
  sentinel_options sentinel{};
};

class sentinel_group {
 public:
  explicit sentinel_group(sentinel_group_options options = {});

  // redis+sentinel://127.0.0.1:…,127.0.0.1:…/locks; `user` is user info with its '@', `rest` comes after the name.
  [[nodiscard]] std::string url(const std::string& user = {}, const std::string& rest = {}) const;

  // On a fresh connection for questions: Sentinels close all connections of a server whose role they change.
  [[nodiscard]] redis_server& server(std::size_t i) {
    servers_[i]->hang_up();
    return *servers_[i];
  }
  [[nodiscard]] sentinel& watcher(std::size_t i) { return *sentinels_[i]; }
  [[nodiscard]] std::size_t servers() const { return servers_.size(); }

  // The server that a Sentinel names; the first one is it at the start.
  [[nodiscard]] redis_server& primary(std::size_t by_sentinel = 0);

  // SENTINEL FAILOVER, and waits until every live Sentinel names the new primary.
  void fail_over();
  // Waits until every live Sentinel names another primary than this one. Throws after a generous while.
  void wait_for_other_than(std::uint16_t port);
  // Every replica of the present primary is connected to it.
  void wait_for_replicas();

 private:
  void settle();
  std::vector<std::unique_ptr<redis_server>> servers_;
  std::vector<std::unique_ptr<sentinel>> sentinels_;
};

}  // namespace holdfast::test
