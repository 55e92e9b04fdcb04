#include "redlock.hpp"

#include "redis_link.hpp"

namespace lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class redlock final : public quorum_lock {
 public:
  redlock(const std::vector<std::string>& sockets, std::string key, milliseconds limit) : key_{std::move(key)} {
    for (const std::string& each : sockets) nodes_.emplace_back(each, limit);
  }

  answer acquire(const std::string& owner, milliseconds ttl) override {
    const auto began = steady_clock::now();
    answer out;
    out.votes = count({"SET", key_, owner, "NX", "PX", std::to_string(ttl.count())}, "OK");
    const auto elapsed = std::chrono::ceil<milliseconds>(steady_clock::now() - began);
    const milliseconds drift = ttl / 100 + milliseconds{2};
    const milliseconds validity = ttl - elapsed - drift;
    out.held = out.votes >= nodes_.size() / 2 + 1 && validity.count() > 0;
    if (out.held) {
      out.validity = validity;
    } else {
      release(owner);
    }
    return out;
  }

  std::size_t release(const std::string& owner) override {
    static const std::string script =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
    return count({"EVAL", script, "1", key_, owner}, "1");
  }

 private:
  // How many nodes gave this answer. A node that does not answer is a vote against, and nothing else.
  std::size_t count(const words& command, const std::string& wanted) {
    std::size_t votes = 0;
    for (redis_link& each : nodes_) {
      try {
        if (each.ask(command) == wanted) ++votes;
      } catch (const link_broken&) {
        continue;
      }
    }
    return votes;
  }

  std::string key_;
  std::vector<redis_link> nodes_;
};

}  // namespace

std::unique_ptr<quorum_lock> plain_redlock(const std::vector<std::string>& sockets, std::string key,
                                           milliseconds limit_per_node) {
  return std::make_unique<redlock>(sockets, std::move(key), limit_per_node);
}

}  // namespace lab
