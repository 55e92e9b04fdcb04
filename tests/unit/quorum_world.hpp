// A small world for the machines of the quorum: nodes that do what the scripts do, clients that do what the machines say, and between
// them messages that are late, lost and out of order. Clocks run at different speeds; nodes crash and forget. Time is made up, so
// a minute of it takes milliseconds.
//
// It watches what users see: who believes to hold the lock, in real time, and the fences in the order of their use. Rules can be broken
// on purpose (`rules`), to show that it would notice.
#pragma once

#include "lock/quorum_acquire.hpp"
#include "lock/quorum_release.hpp"
#include "lock/quorum_renew.hpp"
#include "unit/quorum_node.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace holdfast::lock {

struct rules {
  bool guard = true;       // a node that forgot waits before it votes
  bool write_back = true;  // the fence is noted by a majority before it is used
  bool own_owner = true;   // a reader that wants to be the writer asks under an owner of its own
};

struct world_shape {
  std::size_t nodes = 5;
  std::size_t clients = 4;
  double loss = 0.03;    // of each message
  double slow = 0.1;     // … that takes long instead of about a millisecond
  double crashes = 0;    // per second, each of one node
  double disasters = 0;  // per second, each of a random number of nodes at once
  double readers = 0;    // of those who come
  double changes = 0;    // of those who hold: upgrades and downgrades
  std::chrono::seconds lasts{30};
  std::chrono::seconds uptime{0};  // of the nodes at the beginning
};

struct world_report {
  std::uint64_t holds = 0;
  std::uint64_t renewals = 0;
  std::uint64_t write_backs = 0;
  std::uint64_t re_added = 0;
  std::uint64_t opened = 0;
  std::uint64_t crashes = 0;
  std::uint64_t upgrades = 0;
  std::uint64_t downgrades = 0;
  std::uint64_t overlaps = 0;    // somebody else believed to hold, and one of them to write
  std::uint64_t inversions = 0;  // a fence not above the last one used; a reader's: not above a writer's
  std::optional<runtime::duration> first_hold{};
};

class quorum_world {
 public:
  quorum_world(std::uint64_t seed, const world_shape& shape, const rules& how);
  ~quorum_world();
  quorum_world(const quorum_world&) = delete;
  quorum_world& operator=(const quorum_world&) = delete;

  world_report run();

 private:
  struct client;
  using real = std::chrono::nanoseconds;  // since the beginning

  void at(real when, std::function<void()> what);
  void plan_crashes(double rate, bool many);
  double dice() { return std::uniform_real_distribution<double>{0, 1}(random_); }
  real travel();
  bool is_lost() { return dice() < shape_.loss; }
  // A request to a node, as it is now, and its answer: each may be lost or late. The process must still be the same one.
  template <class Answer>
  void send(std::size_t to, std::function<Answer(quorum_node&)> execute, std::function<void(const Answer&)> hear);

  struct event {
    real when;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const event& other) const { return when != other.when ? when > other.when : order > other.order; }
  };

  world_shape shape_;
  rules rules_;
  std::mt19937_64 random_;
  std::priority_queue<event> events_;
  std::uint64_t serial_ = 0;
  real now_{0};
  std::vector<std::unique_ptr<quorum_node>> nodes_;
  std::vector<std::unique_ptr<client>> clients_;
  std::uint64_t last_fence_ = 0;
  std::uint64_t last_writer_ = 0;
  world_report report_;
};

}  // namespace holdfast::lock
