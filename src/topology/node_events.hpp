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

}  // namespace holdfast::topology
