// D11 (redis-py, Redisson): an acquire whose answer was lost was sent again and found the lock held: by itself; or held twice.
#include <gtest/gtest.h>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

struct broken_line {
  redis_server server;
  gate between{server.port()};
  broken_line() { load_scripts(server); }
  // The server runs the next acquire; the connection breaks before its answer is through.
  void lose_the_answer() { between.when_reply(granted_reply, fault::cut()); }
  void expect_one_clean_hold(lease& held) {
    EXPECT_EQ(between.triggered(), 1U);
    EXPECT_EQ(server.text({"GET", "d11"}), held.owner());
    EXPECT_GT(held.fence(), 0U);
    EXPECT_EQ(held.release(), release_outcome::released);
    EXPECT_EQ(server.number({"EXISTS", "d11"}), 0) << "held once, released once";
  }
};

TEST(Regress, D11_TheRepeatedAcquireGetsItsOwnLock) {
  broken_line line;
  client redis{quiet(line.between.url())};
  ASSERT_TRUE(redis.ping());
  line.lose_the_answer();
  const auto start = steady_clock::now();
  auto held = redis.acquire(std::nothrow, "d11", {.wait = 10s});
  ASSERT_TRUE(held) << held.failure().detail;
  EXPECT_LT(steady_clock::now() - start, 5s) << "long before the ttl of 30 s";
  EXPECT_EQ(redis.stats().contended, 0U) << "it never met itself";
  line.expect_one_clean_hold(*held);
}

TEST(Regress, D11_TheRepeatedTryGetsItsOwnLock) {
  broken_line line;
  client redis{quiet(line.between.url())};
  ASSERT_TRUE(redis.ping());
  line.lose_the_answer();
  auto held = redis.try_acquire("d11");
  ASSERT_TRUE(held) << held.failure().detail;
  line.expect_one_clean_hold(*held);
}

// Redisson's count was incremented by the repetition: 2, and one unlock left the lock held.
TEST(Regress, D11_TheRepeatedAcquireDoesNotCountTwice) {
  broken_line line;
  client redis{quiet(line.between.url())};
  ASSERT_TRUE(redis.ping());
  recursive_mutex lock{redis, "d11"};
  line.lose_the_answer();
  lock.lock();
  EXPECT_EQ(line.between.triggered(), 1U);
  const auto fields = line.server.list({"HGETALL", "d11"});
  ASSERT_EQ(fields.size(), 4U) << "one owner and its fence";
  EXPECT_EQ(fields[fields[0] == "holdfast" ? 3 : 1], "1");
  EXPECT_EQ(lock.release(), release_outcome::released);
  EXPECT_EQ(line.server.number({"EXISTS", "d11"}), 0) << "held once, released once";
}

}  // namespace
}  // namespace holdfast::regress
