// Nodes that choose a leader among themselves: what the families of etcd and ZooKeeper share.
//
// Not thread-safe.
#pragma once

#include "families/service.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::bench {

class ensemble : public family {
 public:
  ensemble(std::string kind, unsigned nodes) : kind_{std::move(kind)}, count_{nodes} {}
  ~ensemble() override { stop(); }

  [[nodiscard]] std::string name() const override { return kind_ + "_" + std::to_string(count_); }
  [[nodiscard]] bool replicated() const override { return count_ > 1; }
  void stop() noexcept final {
    nodes_.clear();
    ports_.clear();
    folder_.reset();
  }
  void kill_leader() override {
    for (unsigned i = 0; i < count_; ++i) {
      if (role(i) != "leader") continue;
      nodes_[i]->stop(SIGKILL);
      return;
    }
    throw unavailable{"no node says that it leads"};
  }

 protected:
  // What a node says that it is: "leader", or anything else; empty while it does not serve.
  [[nodiscard]] virtual std::string role(unsigned node) const = 0;

  void wait_until_all_serve() {
    for (unsigned i = 0; i < count_; ++i) {
      nodes_[i]->wait_until([&] { return !role(i).empty(); });
    }
  }

  const std::string kind_;
  const unsigned count_;
  std::vector<int> ports_;  // for clients
  std::unique_ptr<scratch_folder> folder_;
  std::vector<std::unique_ptr<service>> nodes_;
};

}  // namespace holdfast::bench
