// A family of distributed locks: servers of our own, and a lock on them as one process sees it. One .cpp per family
// beside this file; all() in list.cpp has them in the order of the table; trials.cpp measures, knowing only this.
//
// A lock here is what a user of that family would write who reads its manual: no tricks, the defaults of the server, and
// the protection against dead holders that the family has (a session, a lease, a connection), with the same lifetime for
// all that have one.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace holdfast::bench {

// Of a session, lease or ttl. ZooKeeper's least with its usual tick is 4 s, etcd's 2 s.
inline constexpr std::chrono::seconds lifetime{5};

// Why a family cannot be measured here.
struct unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One process's (and one thread's) way to one lock. Throws std::runtime_error when the lock can no longer be had.
class contender {
 public:
  contender() = default;
  virtual ~contender() = default;
  contender(const contender&) = delete;
  contender& operator=(const contender&) = delete;
  virtual void lock() = 0;  // waits until it is held
  virtual void unlock() = 0;
};

class family {
 public:
  family() = default;
  virtual ~family() = default;  // stops what start() started
  family(const family&) = delete;
  family& operator=(const family&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;
  // Servers that answer, or `unavailable`. Starts no threads: the trials fork.
  virtual void start() = 0;
  virtual void stop() noexcept = 0;
  // For lock number `lock`, by member `me` of a crew; called in the process that is going to use it.
  virtual std::unique_ptr<contender> join(unsigned lock, unsigned me) = 0;
  // Several nodes that stand in for one another.
  [[nodiscard]] virtual bool replicated() const { return false; }
  // kill -9 of the node that leads, or of one where none does; the others are to go on.
  virtual void kill_leader() { throw unavailable{"one node: nothing takes over"}; }
};

std::vector<std::unique_ptr<family>> all_families();

// The makers, one per file.
std::unique_ptr<family> make_postgresql(bool advisory);  // else a row lock
std::unique_ptr<family> make_redis(bool durable);        // an fsync before each answer, as the others do
std::unique_ptr<family> make_redis_replicas();           // a primary, two replicas, three Sentinels
std::unique_ptr<family> make_redis_quorum();             // five nodes
std::unique_ptr<family> make_zookeeper(unsigned nodes);
std::unique_ptr<family> make_etcd(unsigned nodes);

}  // namespace holdfast::bench
