// The parts of topology::cluster that only its own two files need: a node, and the question for the map.
#pragma once

#include "resp/writer.hpp"
#include "topology/cluster.hpp"
#include "topology/hosts.hpp"

#include <string>

namespace holdfast::topology {

// One address at which there is, or was, a node. Its connection's owner.
struct cluster::node final : net::connection_events {
  node(cluster& owner, const endpoint& address) : of{owner}, where{address}, how{at_host(owner.how_, address)} {
    at = &owner.make_(how, *this, true);
  }

  // The connection that such a request goes over.
  net::connection& line_for(const net::request& what) { return what.blocks ? waiting_line() : *at; }
  net::connection& waiting_line();

  void on_message(std::string_view payload, bool to_all, runtime::time_point now) override;
  void on_shard_message(std::string_view payload, runtime::time_point now) override;
  void on_unsubscribed(net::connection& which, runtime::time_point now) override;
  bool redirect(net::connection& from, net::request& what, std::string_view error, runtime::time_point now) override;
  void on_up(net::connection& which, runtime::time_point now) override;
  void on_down(net::connection& which, runtime::time_point now) override;
  void on_failed(net::connection& which, const failure& why, runtime::time_point now) override;
  bool needs_connection(const net::connection& which) const override;
  void wake_driver() override;

  // The owner of the connection for WAIT. It is up while somebody needs it, and nobody is told.
  struct quiet_owner final : quiet_events {
    explicit quiet_owner(node& whose) : quiet_events{whose.of.owner_}, of{whose} {}
    bool redirect(net::connection& from, net::request& what, std::string_view error, runtime::time_point now) override {
      return of.redirect(from, what, error, now);
    }
    node& of;
  };

  cluster& of;
  const endpoint where;
  settings how;
  net::connection* at = nullptr;
  quiet_owner quiet{*this};
  net::connection* waiting = nullptr;  // once it was needed
  int replicas_seen = 0;
  bool seed = false;
  bool serving = false;                // has slots, by the map or by a MOVED
  bool failed = false;                 // could not be reached when it was last tried
  runtime::time_point needed_until{};  // without slots of its own yet, it is being given some
};

class cluster::map_request final : public net::request {
 public:
  explicit map_request(cluster& owner) : of_{owner} { impatient = true; }
  node* asked = nullptr;

 private:
  void encode(std::string& out) override { resp::append_command(out, "CLUSTER", "SLOTS"); }
  void on_reply(const resp::value& reply, runtime::time_point now) override { of_.read_map(reply, *asked, now); }
  void on_interrupted(const failure& /*why*/, runtime::time_point now) override { of_.want_map(now); }
  void on_refused(const failure& /*why*/, runtime::time_point now) override { of_.want_map(now); }
  cluster& of_;
};

}  // namespace holdfast::topology
