#include "redlock.hpp"

#include "redis_link.hpp"

namespace lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How many nodes gave this answer. A node that does not answer is a vote against, and nothing else.
std::size_t count(std::vector<redis_link>& nodes, const words& command, const std::string& wanted) {
  std::size_t votes = 0;
  for (redis_link& each : nodes) {
    try {
      if (each.ask(command) == wanted) ++votes;
    } catch (const link_broken&) {
      continue;
    }
  }
  return votes;
}

}  // namespace

redlock_answer plain_redlock(const std::vector<std::string>& sockets, const std::string& key, const std::string& owner,
                             milliseconds ttl, milliseconds limit_per_node) {
  static const std::string release =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
  std::vector<redis_link> nodes;
  nodes.reserve(sockets.size());
  for (const std::string& each : sockets) nodes.emplace_back(each, limit_per_node);
  const auto began = steady_clock::now();
  redlock_answer out;
  out.votes = count(nodes, {"SET", key, owner, "NX", "PX", std::to_string(ttl.count())}, "OK");
  const auto elapsed = std::chrono::ceil<milliseconds>(steady_clock::now() - began);
  const milliseconds drift = ttl / 100 + milliseconds{2};
  const milliseconds validity = ttl - elapsed - drift;
  out.held = out.votes >= nodes.size() / 2 + 1 && validity.count() > 0;
  if (out.held) {
    out.validity = validity;
  } else {
    count(nodes, {"EVAL", release, "1", key, owner}, "1");
  }
  return out;
}

}  // namespace lab
