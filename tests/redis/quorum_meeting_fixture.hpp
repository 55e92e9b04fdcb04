// A quorum, two clients, and questions about the latches and barriers on its nodes.
//
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {

// Both files that have tests of it are one program: it is instantiated once, in quorum_meeting_test.cpp, for all of
// them.
class QuorumMeeting : public testing::TestWithParam<std::size_t> {
 protected:
  // What a majority has in a field, or nothing.
  std::string field(const std::string& key, const std::string& name) {
    std::map<std::string, std::size_t> told;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.node(i).pid() <= 0) continue;
      const auto got = nodes.node(i).command({"HGET", key, name});
      if (got.type != reply::kind::nil && ++told[got.text] > nodes.size() / 2) return got.text;
    }
    return {};
  }
  bool waiting(const std::string& name, long long count) {
    return eventually(patience, [&] {
      std::size_t there = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes.node(i).number({"ZCARD", "{" + name + "}:waiters"}) == count) ++there;
      }
      return there == nodes.size();
    });
  }
  // Only the meetings themselves: no guard, nobody who waits.
  bool only(std::vector<std::string> names) {
    return eventually(patience, [&] {
      for (const std::string& each : nodes.left_behind()) {
        if (std::ranges::find(names, each) == names.end()) return false;
      }
      return true;
    });
  }

  quorum_group nodes{{.nodes = GetParam()}};
  client redis{nodes.where()};
  client other{nodes.where()};
};

}  // namespace holdfast::test
