// A server with two ways to it: a client that goes through the gate, and one that goes directly.
//
// Thread safety: that of redis_server and gate.
#pragma once

#include <gtest/gtest.h>
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <string>

#include "support/gate.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

// Nothing of the environment, no warnings, and a time limit that makes a lost answer cost little.
inline settings quiet(const std::string& url) {
  settings made = settings::from_url(url).value();
  made.on_warning = [](const warning&) {};
  made.command_timeout = std::chrono::milliseconds{300};
  return made;
}

struct two_ways : testing::Test {
  redis_server server;
  gate way{server.port()};
  client through{quiet(way.url())};
  client direct{quiet(server.url())};
};

}  // namespace holdfast::test
