// The servers that a client talks to, and which of them a command goes to.
//
// Place: between the client, which knows keys, and the connections, which know sockets. Nobody else knows how many nodes
// there are: one, by TCP, TLS or a Unix socket, which may be the primary that Sentinels name (sentinel_finder.hpp); the
// primaries of a Redis Cluster (cluster.hpp); or the nodes of a quorum, all of which serve every key.
//
// Guarded by the client's mutex. Who drives: nodes that are READY by one thread at a time, which may be a caller's
// (core.hpp); those that are coming up by the client's own thread, also while a caller drives the others. Connections are
// added while somebody drives, and none is taken away before the end: so loops go by number.
#pragma once

#include "net/connection.hpp"
#include "topology/cluster.hpp"
#include "topology/node_events.hpp"

#include <holdfast/settings.hpp>

#include <poll.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::topology {

class nodes {
 public:
  // Arguments as net::connection's: each node is one.
  nodes(const settings& how, const std::string& inbox, const std::string& common, node_events& owner,
        runtime::timer_queue& timers, runtime::random_source& random, const std::function<void()>& wake);
  ~nodes();
  nodes(const nodes&) = delete;
  nodes& operator=(const nodes&) = delete;

  void open(runtime::time_point now);
  void close(const failure& why, runtime::time_point now);

  void submit(net::request& what, runtime::time_point now);

  // The node that serves a key; for the empty key, one that is best placed for what any of them can do. In a quorum every
  // node serves every key, and whoever asks just one of them gets one that is up.
  [[nodiscard]] net::connection& of(std::string_view key) const noexcept;
  // All that have keys of their own; for what has to be asked of each.
  [[nodiscard]] std::vector<net::connection*> primaries() const;

  // ---- what one connection means for a key, or a majority of them in a quorum
  // Whether what is said about it now can take effect.
  [[nodiscard]] bool reaches(std::string_view key) const noexcept;
  // Whether anything that was submitted about it can have left this process.
  [[nodiscard]] bool sends(std::string_view key) const noexcept;
  // Whether messages about it can reach us.
  [[nodiscard]] bool hears(std::string_view key) const noexcept;
  [[nodiscard]] bool concerns(const net::connection& which, std::string_view key) const noexcept;

  // ---- a quorum's, for those who count votes
  [[nodiscard]] bool is_quorum() const noexcept { return !quorum_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] net::connection& at(std::size_t which) const noexcept { return *all_[which]; }
  // Whether it is the same server as one before it, under another name: then it has no vote of its own.
  [[nodiscard]] bool is_twin(std::size_t which) const noexcept;

  // ---- replicas, of the primary that has the key; not in a quorum
  // The connection for WAIT, to the same server: for requests that block. Made when it is first needed; it hears no messages.
  [[nodiscard]] net::connection& waiting(std::string_view key);
  // The most that it has been seen with.
  [[nodiscard]] int replicas_seen(std::string_view key) const noexcept { return seen(key); }
  void saw_replicas(std::string_view key, int count) noexcept { seen(key) = std::max(seen(key), count); }

  // ---- driving
  // At least one can be driven.
  [[nodiscard]] bool any_ready() const noexcept;
  // Answers are due from some.
  [[nodiscard]] bool expects() const noexcept;
  [[nodiscard]] bool unsent() const noexcept;
  void flush(std::unique_lock<std::mutex>& guard);

  // Append what to poll for: those that are ready, those that are coming up.
  void fill_ready(std::vector<pollfd>& entries) const;
  void fill_attempts(std::vector<pollfd>& entries) const;
  // After poll(2), for the same two.
  void service(std::unique_lock<std::mutex>& guard, std::span<const pollfd> entries);
  void advance(std::unique_lock<std::mutex>& guard);
  // Instead of poll(2) and service(), where there is only one socket to wait for (net::connection::service_waiting).
  bool service_waiting(std::unique_lock<std::mutex>& guard);

 private:
  struct quiet_owner;
  [[nodiscard]] int& seen(std::string_view key) const noexcept;

  std::vector<std::unique_ptr<settings>> quorum_;  // of each node: the common ones, with its own address
  std::unique_ptr<cluster> cluster_;               // this and the next outlive the connections, which tell them things
  std::unique_ptr<quiet_owner> quiet_;             // where one primary has all keys, of `waiting_`
  std::vector<std::unique_ptr<net::connection>> all_;
  std::function<net::connection&()> make_waiting_;
  net::connection* waiting_ = nullptr;
  mutable int replicas_seen_ = 0;
};

}  // namespace holdfast::topology
