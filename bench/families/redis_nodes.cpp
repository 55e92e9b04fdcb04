// Redis on several nodes: holdfast::mutex behind Sentinels, confirmed by a replica; and on a quorum of five.
//
// Nothing is written to disk on any of them: what is to survive, survives in the memory of the others.
#include "crew.hpp"
#include "families/redis.hpp"
#include "server.hpp"

#include "support/redis_server.hpp"
#include "support/sentinel_group.hpp"

#include <csignal>

namespace holdfast::bench {
namespace {

// A primary, two replicas, three Sentinels, which call the primary dead after the lifetime that all families have. Each lock
// is had by one replica before it counts as taken: with the primary, a majority of the three.
class redis_replicas : public family {
 public:
  ~redis_replicas() override { stop(); }
  [[nodiscard]] std::string name() const override { return "redis_replicas"; }
  [[nodiscard]] bool replicated() const override { return true; }

  void start() override {
    test::sentinel_group_options how;
    how.watch_lines = {"sentinel down-after-milliseconds locks " +
                       std::to_string(std::chrono::milliseconds{lifetime}.count())};
    group_ = std::make_unique<test::sentinel_group>(how);
    // Callers are to live through a failover, which takes longer than the 5 s that a call puts up with by default.
    url_ = group_->url({}, "?replicas=majority&connect_timeout=30s");
  }
  void stop() noexcept override { group_.reset(); }
  std::unique_ptr<contender> join(unsigned lock, unsigned /*me*/) override { return join_redis(url_, lock); }
  void kill_leader() override { group_->primary().kill(); }

 private:
  std::string url_;
  std::unique_ptr<test::sentinel_group> group_;
};

// Five servers that know nothing of one another. Nobody leads: any of them is killed.
class redis_quorum : public family {
 public:
  ~redis_quorum() override { stop(); }
  [[nodiscard]] std::string name() const override { return "redis_quorum"; }
  [[nodiscard]] bool replicated() const override { return true; }

  void start() override {
    url_ = "redis+quorum://";
    for (int i = 0; i < 5; ++i) {
      nodes_.push_back(std::make_unique<test::redis_server>());
      url_ += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(nodes_.back()->port());
    }
    url_ += "?max_ttl=" + std::to_string(lifetime.count()) + "s";
    come_of_age();
  }
  void stop() noexcept override { nodes_.clear(); }
  std::unique_ptr<contender> join(unsigned lock, unsigned /*me*/) override { return join_redis(url_, lock); }
  void kill_leader() override { nodes_.front()->kill(); }

 private:
  // New nodes do not vote for max_ttl; that is waited for here, by a process of its own, since a client has threads.
  void come_of_age() {
    crew first;
    first.start([this] {
      const auto lock = join(0, 0);
      lock->lock();
      lock->unlock();
    });
    first.wait_for_all();
  }

  std::string url_;
  std::vector<std::unique_ptr<test::redis_server>> nodes_;
};

}  // namespace

std::unique_ptr<family> make_redis_replicas() { return std::make_unique<redis_replicas>(); }
std::unique_ptr<family> make_redis_quorum() { return std::make_unique<redis_quorum>(); }

}  // namespace holdfast::bench
