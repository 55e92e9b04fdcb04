// The servers that a client talks to, and which of them a command goes to.
//
// Place: between the client, which knows keys, and the connections, which know sockets. Nobody else knows how many nodes
// there are. Now there is one, whatever the URL: a Redis of its own, by TCP, TLS or a Unix socket, or the primary that
// Sentinels name.
//
// Guarded by the client's mutex. Who drives: nodes that are READY by one thread at a time, which may be a caller's
// (core.hpp); those that are coming up by the client's own thread, also while a caller drives the others.
#pragma once

#include "net/connection.hpp"

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
  nodes(const settings& how, const std::string& inbox, const std::string& common, net::connection_events& owner,
        runtime::timer_queue& timers, runtime::random_source& random, const std::function<void()>& wake);
  ~nodes();
  nodes(const nodes&) = delete;
  nodes& operator=(const nodes&) = delete;

  void open(runtime::time_point now);
  void close(const failure& why, runtime::time_point now);

  void submit(net::request& what, runtime::time_point now) { of(what.routed_by()).submit(what, now); }

  // The node that serves a key; for the empty key, one that is best placed for what any of them can do.
  [[nodiscard]] net::connection& of(std::string_view /*key*/) noexcept { return *all_.front(); }
  [[nodiscard]] const net::connection& of(std::string_view /*key*/) const noexcept { return *all_.front(); }

  // The connection for WAIT, to the same server; made when it is first asked for. It hears no messages.
  [[nodiscard]] net::connection& waiting();
  // The most replicas that the primary has been seen with.
  [[nodiscard]] int replicas_seen() const noexcept { return replicas_seen_; }
  void saw_replicas(int count) noexcept { replicas_seen_ = std::max(replicas_seen_, count); }

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
  [[nodiscard]] std::unique_ptr<net::connection> make(const std::string& inbox, const std::string& common) const;
  template <class Predicate>
  [[nodiscard]] bool any(Predicate what) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& each) { return what(*each); }) ||
           (waiting_ && what(*waiting_));
  }
  // Whoever does it may let go of the mutex meanwhile; so nothing here moves when `waiting_` is made.
  template <class Work>
  void each(Work what) const {
    for (const auto& one : all_) what(*one);
    if (waiting_) what(*waiting_);
  }

  const settings& how_;
  net::connection_events& owner_;
  runtime::timer_queue& timers_;
  runtime::random_source& random_;
  const std::function<void()> wake_;
  std::vector<std::unique_ptr<net::connection>> all_;
  std::unique_ptr<net::connection> waiting_;
  int replicas_seen_ = 0;
};

}  // namespace holdfast::topology
