// A script that only reads, run on every node of a quorum at once, for whoever makes one answer of theirs.
//
// Ends as soon as the asker has heard enough, and at the latest when every node has answered, cannot, or has had its time: a command's, and
// a connection's where no majority is connected. Votes have the shorter node_timeout; a look has no lease that runs out.
// On the caller's stack. Guarded by the client's mutex.
#pragma once

#include "client/call.hpp"
#include "client/core.hpp"
#include "net/request.hpp"
#include "resp/value.hpp"
#include "runtime/timer_queue.hpp"
#include "scripts/sources.hpp"

#include <holdfast/result.hpp>

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::detail {

class node_poll final : public call, private runtime::timer {
 public:
  // Told of each node at most once: what it answered, or why it did not. Returns whether that is enough. Called with the guard held.
  using hearer = std::function<bool(const result<resp::value>& reply)>;

  // The script takes no arguments but its keys.
  node_poll(core& owner, const scripts::script& what, const std::vector<std::string>& keys, hearer tell);
  ~node_poll();
  node_poll(const node_poll&) = delete;
  node_poll& operator=(const node_poll&) = delete;

  void run(guard_type& guard);

 private:
  struct slip final : net::request {
    slip(node_poll& of, std::size_t at) : whose{of}, node{at} { impatient = true; }
    void encode(std::string& out) override { whose.encode(*this, out); }
    void on_reply(const resp::value& reply, runtime::time_point now) override { whose.on_reply(*this, reply, now); }
    void on_interrupted(const failure& why, runtime::time_point now) override { whose.on_interrupted(*this, why, now); }
    void on_refused(const failure& why, runtime::time_point /*now*/) override { whose.hear(why); }

    node_poll& whose;
    std::size_t node;
    bool by_text = false;
    bool repeated = false;
  };

  void encode(const slip& what, std::string& out) const;
  void on_reply(slip& from, const resp::value& reply, runtime::time_point now);
  void on_interrupted(slip& from, const failure& why, runtime::time_point now);
  void hear(const result<resp::value>& reply);
  void fire(runtime::time_point now) override;

  core& core_;
  const scripts::script& what_;
  std::string words_;  // encoded: what follows the script
  const std::size_t keys_;
  const hearer tell_;
  std::deque<slip> slips_;
  std::size_t due_;
};

}  // namespace holdfast::detail
