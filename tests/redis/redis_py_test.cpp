// redis-py's own Lock (redis.lock.Lock) on the same key: it excludes us and is excluded by us.
#include <gtest/gtest.h>

#include <future>

#include "redis/common.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

// Reads commands from standard input: take, release, owned; answers one line each.
constexpr auto script = R"(
import sys, redis
client = redis.Redis(host='127.0.0.1', port=int(sys.argv[1]))
lock = client.lock('door', timeout=60)
for line in sys.stdin:
    word = line.strip()
    if word == 'take':
        print(lock.acquire(blocking=False), flush=True)
    elif word == 'wait':
        print(lock.acquire(blocking=True, blocking_timeout=20), flush=True)
    elif word == 'release':
        try:
            lock.release()
            print('released', flush=True)
        except redis.exceptions.LockError as problem:
            print(type(problem).__name__, flush=True)
    elif word == 'owned':
        print(lock.owned(), flush=True)
)";

struct redis_py : testing::Test {
  redis_server server;
  process python{{"/usr/bin/python3", "-c", script, std::to_string(server.port())}};
  client redis{at(server)};
  std::string say(const std::string& word) {
    python.write(word + "\n");
    return python.read_line(30s).value_or("(nothing)");
  }
};

TEST_F(redis_py, lock_keeps_us_out) {
  ASSERT_EQ(say("take"), "True");
  EXPECT_EQ(redis.try_acquire("door").code(), errc::held);
  EXPECT_EQ(redis.acquire(std::nothrow, "door", {.wait = 200ms}).code(), errc::timed_out);
  EXPECT_TRUE(queue_reaches(server, "door", 0)) << "the one who gave up has left";
  EXPECT_EQ(say("owned"), "True");
  EXPECT_EQ(say("release"), "released");
  const auto ours = redis.try_acquire("door");
  EXPECT_TRUE(ours) << ours.failure().detail;
}

TEST_F(redis_py, lock_is_kept_out_by_us) {
  lease held = redis.acquire("door");
  EXPECT_EQ(say("take"), "False");
  python.write("wait\n");
  EXPECT_EQ(python.read_line(300ms), std::nullopt) << "it waits";
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(python.read_line(30s), "True");
  EXPECT_EQ(redis.try_acquire("door").code(), errc::held);
  EXPECT_EQ(say("release"), "released");
}

TEST_F(redis_py, release_wakes_our_waiter_soon) {
  ASSERT_EQ(say("take"), "True");
  auto came = std::async(std::launch::async, [&] {
    const lease mine = redis.acquire("door");
    return std::chrono::steady_clock::now();
  });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  EXPECT_EQ(say("release"), "released");
  const auto released = std::chrono::steady_clock::now();
  ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
  EXPECT_LE(came.get() - released, 200ms);
}

TEST_F(redis_py, cannot_release_what_is_ours) {
  ASSERT_EQ(say("take"), "True");
  server.number({"DEL", "door"});
  lease held = redis.acquire("door");
  EXPECT_EQ(say("release"), "LockNotOwnedError");
  EXPECT_EQ(held.release(), release_outcome::released);
}

}  // namespace
}  // namespace holdfast::test
