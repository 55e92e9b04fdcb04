// A quorum, two clients, and questions about the read-write lock "door" on its nodes.
//
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "redis/quorum_common.hpp"

namespace holdfast::test {

struct quorum_sharing : testing::TestWithParam<std::size_t> {
  quorum_group nodes{{.nodes = GetParam()}};
  client redis{nodes.where()};
  client other{nodes.where()};
  const options how{.ttl = 2900ms};

  template <class Wait>
  auto start(Wait wait) {
    return std::async(std::launch::async, wait);
  }
  [[nodiscard]] bool nothing_left() { return test::nothing_left(nodes); }
  // So many wait, on every node.
  [[nodiscard]] bool waiting(long long how_many) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!queue_reaches(nodes.node(i), "door", how_many)) return false;
    }
    return true;
  }
  // On every node, sooner or later: the sum of the weights of those who hold.
  [[nodiscard]] bool all_have(const std::string& sum) {
    return eventually(patience, [&] {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes.node(i).text({"ZSCORE", "door", "#"}) != sum) return false;
      }
      return true;
    });
  }
  // Whoever has just got it did not wait for its heartbeat, which looks about a second after it has asked: either the invitation made it ask, or,
  // if the votes were split by then, it was soon.
  [[nodiscard]] static bool was_invited(const client& who, std::chrono::steady_clock::time_point since_when) {
    return who.stats().woken_by_push != 0 || since(since_when) < 700ms;
  }
  [[nodiscard]] options waits(std::chrono::milliseconds limit) const {
    options made = how;
    made.wait = limit;
    return made;
  }
};

}  // namespace holdfast::test
