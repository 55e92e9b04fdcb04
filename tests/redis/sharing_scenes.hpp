// What the scenes of the read-write lock share, on every deployment: questions about the lock "door".
//
// Thread safety: that of deployment_under_test.
#pragma once

#include <future>
#include <string>

#include "redis/deployment.hpp"

namespace holdfast::test {

struct sharing_scenes : deployment_scenes {
  sharing_scenes() : deployment_scenes{3s} {}

  // What is held on a quorum lapses within its max_ttl.
  const options how = servers.is_quorum() ? options{.ttl = 2900ms} : options{};

  [[nodiscard]] options waits(std::chrono::milliseconds limit) const {
    options made = how;
    made.wait = limit;
    return made;
  }
  template <class Wait>
  auto start(Wait wait) {
    return std::async(std::launch::async, wait);
  }
  [[nodiscard]] bool waiting(long long count) { return servers.waiting("door", count); }
  // The sum of the weights of those who hold.
  [[nodiscard]] bool all_have(const std::string& sum) {
    return servers.all([&](redis_server& each) { return each.command({"ZSCORE", "door", "#"}).text == sum; });
  }
  // Whoever has just got it did not wait for its heartbeat, which looks about a second after it has asked: either the
  // invitation made it ask, or, if a quorum's votes were split by then, it was soon.
  [[nodiscard]] bool was_invited(const client& who, std::chrono::steady_clock::time_point since_when) const {
    return who.stats().woken_by_push != 0 || (servers.is_quorum() && since(since_when) < 700ms);
  }
};

}  // namespace holdfast::test
