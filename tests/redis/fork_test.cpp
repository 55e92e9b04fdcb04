// fork(): the child's use of the parent's client is an error, its destructors do nothing, and the parent keeps what it
// holds.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "redis/common.hpp"
#include "support/process.hpp"

// The thread sanitizer's default is to end a child of a threaded process that starts threads; making a new client in
// such a child is exactly what is shown here.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace holdfast::test {
namespace {

std::string say(errc code) { return std::string{to_string(code)}; }

template <class T>
std::string say(const result<T>& how) {
  return how ? "fine" : say(how.code());
}

TEST(forked, every_use_of_the_parents_client_is_named_so) {
  redis_server server;
  client redis{at(server)};
  mutex m{redis, "other"};
  lease held = redis.acquire("door");
  process child = fork_child([&] {
    std::printf("%s %s %s %s %s %s\n", say(redis.acquire(std::nothrow, "x")).c_str(),
                say(redis.try_acquire("x")).c_str(), say(redis.try_acquire("x", "me", 1s)).c_str(),
                say(redis.extend("x", "me", 1s)).c_str(), say(redis.release("x", "me")).c_str(),
                say(redis.ping()).c_str());
    std::printf("%s %s %s\n", say(m.lock(std::nothrow)).c_str(), say(m.try_lock(std::nothrow)).c_str(),
                say(held.extend(std::nothrow, 1s)).c_str());
    std::printf("%s %s %d\n", std::string{to_string(held.state())}.c_str(),
                std::string{to_string(held.release())}.c_str(), held.lost().stop_requested() ? 1 : 0);
    std::printf("%s\n", redis.try_acquire("x").failure().detail.c_str());
    return 0;
  });
  EXPECT_EQ(child.read_line(patience), "forked forked forked forked forked forked");
  EXPECT_EQ(child.read_line(patience), "forked forked forked");
  EXPECT_EQ(child.read_line(patience), "LOST was_lost 1");
  const auto text = child.read_line(patience);
  ASSERT_TRUE(text);
  EXPECT_TRUE(has(*text, "fork()")) << *text;
  EXPECT_EQ(child.wait(patience), (exit_status{0, 0}));
  EXPECT_EQ(server.number({"EXISTS", "x"}), 0);
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_EQ(held.release(), release_outcome::released);
}

TEST(forked, the_childs_destructors_release_nothing) {
  redis_server server;
  auto redis = std::make_unique<client>(at(server));
  auto held = std::make_unique<lease>(redis->acquire("door", {.ttl = 2s}));
  auto m = std::make_unique<mutex>(*redis, "other");
  m->lock();
  process child = fork_child([&] {
    m->unlock();
    m.reset();
    held.reset();
    redis.reset();
    return 0;
  });
  EXPECT_EQ(child.wait(patience), (exit_status{0, 0}));
  EXPECT_EQ(server.text({"GET", "door"}), held->owner());
  EXPECT_EQ(server.number({"EXISTS", "other"}), 1);
  const auto renewals = redis->stats().renewals;
  EXPECT_TRUE(eventually(patience, [&] { return redis->stats().renewals > renewals; }))
      << "the parent goes on renewing";
  EXPECT_EQ(m->release(), release_outcome::released);
  EXPECT_EQ(held->release(), release_outcome::released);
}

TEST(forked, a_client_made_in_the_child_works_and_is_excluded) {
  redis_server server;
  client redis{at(server)};
  lease held = redis.acquire("door");
  process child = fork_child([&] {
    client own{at(server)};
    std::printf("%s\n", say(own.try_acquire("door")).c_str());
    std::fflush(stdout);
    lease mine = own.acquire("door");
    std::printf("got %s\n", std::string{to_string(mine.release())}.c_str());
    return 0;
  });
  EXPECT_EQ(child.read_line(patience), "held");
  EXPECT_TRUE(queue_reaches(server, "door", 1));
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(child.read_line(patience), "got released");
  EXPECT_EQ(child.wait(patience), (exit_status{0, 0}));
}

TEST(forked, a_waiter_of_the_parent_is_not_disturbed) {
  redis_server server;
  client holder{at(server)};
  client redis{at(server)};
  lease held = holder.acquire("door");
  std::optional<lease> got;
  std::thread waiter{[&] { got = redis.acquire("door"); }};
  EXPECT_TRUE(queue_reaches(server, "door", 1));
  process child = fork_child([&] { return redis.try_acquire("door").code() == errc::forked ? 0 : 1; });
  EXPECT_EQ(child.wait(patience), (exit_status{0, 0}));
  EXPECT_EQ(server.number({"ZCARD", waiters_of("door")}), 1);
  held.release();
  waiter.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->release(), release_outcome::released);
}

}  // namespace
}  // namespace holdfast::test
