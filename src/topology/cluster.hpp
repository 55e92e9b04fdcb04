// A Redis Cluster: which node serves a key, and what happens to a command that came to the wrong one.
//
//   submit ---- no map yet ----> LOBBY ----- map ------------------+
//     |                                                            v
//     +--- node of the slot -> connection -> answer           (submit again)
//                                  |                               ^
//                                  |  MOVED, ASK: to the node that it names (ASKING in front)
//                                  +- TRYAGAIN, CLUSTERDOWN: PAUSE for some ms ------------+
//
// A redirected command has not run (that is what the errors say), so it is sent again without its caller's knowledge: 16 times
// to other nodes, and for three quarters of command_timeout to wait for better times (also where nodes name one another); then
// the caller is told.
//
// The map is CLUSTER SLOTS, from any node that answers. Asked for at the start, after MOVED, after CLUSTERDOWN, when a sharded
// subscription ends, and while a node is down; not more often than every 100 ms. A node that serves nothing any more is let go
// once nothing is under way there; its connection is kept for when it comes back, because somebody may be reading from it.
//
// Guarded by the client's mutex.
#pragma once

#include "net/waiting_room.hpp"
#include "resp/key_slot.hpp"
#include "runtime/random.hpp"
#include "runtime/timer_queue.hpp"
#include "topology/node_events.hpp"
#include "topology/slot_map.hpp"

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace holdfast::topology {

class cluster final : private runtime::timer {
 public:
  // Makes a connection that stays as long as the client does; `hears`: our inboxes.
  using maker = std::function<net::connection&(const settings& how, net::connection_events& owner, bool hears)>;

  cluster(const settings& how, node_events& owner, runtime::timer_queue& timers, runtime::random_source& random,
          maker make);
  ~cluster();

  void open(runtime::time_point now);
  // Before the connections are closed.
  void close(const failure& why, runtime::time_point now);
  void submit(net::request& what, runtime::time_point now);

  // The node of a key; of the empty one, and before there is a map, any that is up.
  [[nodiscard]] net::connection& of(std::string_view key) const noexcept;
  [[nodiscard]] std::vector<net::connection*> primaries() const;

  // Beside the node of a key: its connection for WAIT, and the most replicas that it has been seen with.
  [[nodiscard]] net::connection& waiting(std::string_view key);
  [[nodiscard]] int& replicas_seen(std::string_view key) noexcept;

 private:
  struct node;
  class map_request;
  static constexpr std::uint16_t nobody = 0xffff;

  void fire(runtime::time_point now) override;
  void want_map(runtime::time_point at);
  void ask_map(runtime::time_point now);
  void read_map(const resp::value& reply, node& from, runtime::time_point now);
  void follow(const std::vector<slot_range>& map, runtime::time_point now);
  void let_go(runtime::time_point now);
  bool redirect(node& from, net::request& what, std::string_view error, runtime::time_point now);
  static void tell_down(net::request& what, std::string_view error, runtime::time_point now);
  void moved(const redirection& how, runtime::time_point now);
  void on_up(node& which, runtime::time_point now);
  void on_failed(node& which, const failure& why, runtime::time_point now);
  void refuse_lobby(const failure& why, runtime::time_point now, bool all);
  std::uint16_t find_or_add(const endpoint& where);
  [[nodiscard]] node& node_of(std::string_view key) const noexcept;
  [[nodiscard]] node* any_ready() const noexcept;
  [[nodiscard]] const node* ear() const noexcept;

  const settings& how_;
  node_events& owner_;
  runtime::timer_queue& timers_;
  runtime::random_source& random_;
  const maker make_;

  std::vector<std::unique_ptr<node>> nodes_;         // grows only
  std::array<std::uint16_t, resp::slots> serves_{};  // slot -> place in nodes_
  bool known_ = false;                               // there is a map
  bool closed_ = false;
  std::unique_ptr<map_request> request_;
  runtime::time_point asked_at_{};
  runtime::time_point due_ = runtime::never;
  std::size_t turn_ = 0;      // who is asked for the next map
  node* informed_ = nullptr;  // whose map must be newer than ours
  net::waiting_room lobby_;
  net::waiting_room pause_;
};

}  // namespace holdfast::topology
