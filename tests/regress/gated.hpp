// A server that knows the scripts, and a client that reaches it through a gate: where answers and connections get lost.
//
// Thread safety: that of redis_server and gate.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "regress/ground.hpp"

namespace holdfast::regress {

struct gated {
  redis_server server;
  gate between{server.port()};
  client redis;

  // The connection is up.
  explicit gated(std::chrono::milliseconds command_timeout = 1000ms,
                 std::optional<std::chrono::milliseconds> connect_timeout = {})
      : redis{through(command_timeout, connect_timeout)} {
    load_scripts(server);
    EXPECT_TRUE(redis.ping());
  }

 private:
  [[nodiscard]] settings through(std::chrono::milliseconds command_timeout,
                                 std::optional<std::chrono::milliseconds> connect_timeout) const {
    settings how = quiet(between.url(), command_timeout);
    if (connect_timeout) how.connect_timeout = *connect_timeout;
    return how;
  }
};

}  // namespace holdfast::regress
