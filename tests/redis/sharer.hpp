// A process that takes a share of `door` (helpers/sharer.cpp), for tests that kill it.
//
// Thread safety: that of process, one thread at a time.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "redis/common.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::test {

// It is about to ask when this returns, and waits for as long as it takes.
inline process start_sharer(const redis_server& server, const std::string& kind, const std::string& ttl) {
  process made{{helper("sharer"), server.url(), "door", ttl, "0", kind}};
  EXPECT_EQ(made.read_line(patience), "asking");
  return made;
}

inline bool has_its_share(process& sharer) { return sharer.read_line(patience).value_or("").starts_with("got "); }

}  // namespace holdfast::test
