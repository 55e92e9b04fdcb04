// The tests' own connection: a server that dies under it must not take the test program along.
#include <gtest/gtest.h>

#include <chrono>

#include "support/eventually.hpp"
#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(redis_connection, to_a_server_that_has_gone_is_an_error_and_no_signal) {
  redis_server server;
  auto to = redis_connection::tcp(server.port(), 1000ms);
  server.kill();
  // The first may still be taken, and answered by a reset.
  EXPECT_TRUE(eventually(2000ms, [&] {
    try {
      to.send({"PING"});
      return false;
    } catch (const redis_error&) {
      return true;
    }
  }));
}

}  // namespace
}  // namespace holdfast::test
