// What locks leave on a server when all is over.
//
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/eventually.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

// The keys that a lock must not leave behind: all but the fence counters, which outlive locks by design.
inline std::vector<std::string> left_behind(redis_server& server) {
  auto keys = server.keys();
  std::erase_if(keys, [](const std::string& key) { return key.starts_with("holdfast:fence:"); });
  return keys;
}

// Within the limit; and what may stay has an expiry.
inline void expect_nothing_left(redis_server& server, std::chrono::milliseconds limit) {
  EXPECT_TRUE(eventually(limit, [&] { return left_behind(server).empty(); }))
      << testing::PrintToString(left_behind(server));
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
}

}  // namespace holdfast::test
