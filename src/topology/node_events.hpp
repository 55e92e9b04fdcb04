// What the nodes tell the client, beyond what each connection does. With the mutex held.
#pragma once

#include "net/connection.hpp"

#include <functional>
#include <string_view>

namespace holdfast::topology {

class node_events : public net::connection_events {
 public:
  // Some keys have another node now: one that may have forgotten what the old one knew, and where nobody listens yet.
  virtual void on_moved(const std::function<bool(std::string_view key)>& concerned, runtime::time_point now) = 0;

 protected:
  ~node_events() = default;
};

// Owns a connection that hears nothing, and that nobody misses while nothing is submitted.
class quiet_events : public net::connection_events {
 public:
  explicit quiet_events(net::connection_events& driver) : driver_{driver} {}
  void on_message(std::string_view /*payload*/, bool /*to_all*/, runtime::time_point /*now*/) override {}
  void on_up(net::connection& /*which*/, runtime::time_point /*now*/) override {}
  void on_down(net::connection& /*which*/, runtime::time_point /*now*/) override {}
  bool needs_connection(const net::connection& /*which*/) const override { return false; }
  void wake_driver() override { driver_.wake_driver(); }

 protected:
  ~quiet_events() = default;

 private:
  net::connection_events& driver_;
};

}  // namespace holdfast::topology
