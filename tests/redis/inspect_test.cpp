// Looking at locks from outside: who, since when, who waits; ours, foreign, Redisson's, and what is no lock.
#include <gtest/gtest.h>

#include <thread>

#include "redis/common.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

const std::string uuid = "285475da-9152-4c83-822a-67ee2f116a79";

class inspecting : public testing::Test {
 protected:
  redis_server server_;
  client redis_{at(server_)};
  client watcher_{at(server_)};

  lock_info look(std::string_view name, const inspect_options& how = {}) {
    return inspect(watcher_, name, how).value();
  }
};

TEST_F(inspecting, a_free_lock_is_free) {
  const lock_info seen = look("door");
  EXPECT_FALSE(seen.held);
  EXPECT_EQ(seen.layout, lock_layout::none);
  EXPECT_EQ(seen.name, "door");
  EXPECT_EQ(seen.key, "door");
  EXPECT_TRUE(seen.waiters.empty());
  EXPECT_TRUE(server_.keys().empty()) << "looking left something behind";
}

TEST_F(inspecting, shares_are_told_with_their_holders_and_waiters) {
  semaphore pool{redis_, "pool", 5};
  const lease two = pool.take(2);
  const lease three = pool.take(3);
  std::stop_source stop;
  std::thread waiter{[&] { (void)pool.take(std::nothrow, 1, {.stop = stop.get_token()}); }};
  EXPECT_TRUE(queue_reaches(server_, "pool", 1));
  const lock_info seen = look("pool", {.patience = patience});
  EXPECT_EQ(seen.layout, lock_layout::shares);
  EXPECT_EQ(seen.holders, 2U);
  EXPECT_EQ(seen.in_use, 5U);
  EXPECT_EQ(seen.owner, two.owner()) << "the one that ends first";
  EXPECT_EQ(seen.contact, contact::answered);
  EXPECT_EQ(seen.fence, two.fence());
  ASSERT_EQ(seen.waiters.size(), 1U);
  EXPECT_EQ(seen.waiters[0].pid, ::getpid());
  EXPECT_EQ(list(watcher_, "*").value().locks.size(), 1U);
  stop.request_stop();
  waiter.join();
  server_.number({"ZADD", "scores", "1", "somebody"});
  EXPECT_EQ(look("scores").layout, lock_layout::other);
}

TEST_F(inspecting, the_holder_tells_what_the_key_does_not) {
  const lease held = redis_.acquire("door", {.ttl = 20s});
  std::this_thread::sleep_for(50ms);
  const lock_info seen = look("door", {.patience = patience});
  EXPECT_TRUE(seen.held);
  EXPECT_EQ(seen.layout, lock_layout::plain);
  EXPECT_EQ(seen.owner, held.owner());
  EXPECT_EQ(seen.pid, ::getpid());
  EXPECT_EQ(held.owner().substr(0, seen.host.size() + 1), seen.host + ":");
  EXPECT_EQ(seen.holders, 1U);
  ASSERT_TRUE(seen.remaining);
  EXPECT_LE(*seen.remaining, 20s);
  EXPECT_EQ(seen.contact, contact::answered);
  EXPECT_EQ(seen.fence, held.fence());
  EXPECT_EQ(seen.state, lease_state::VALID);
  ASSERT_TRUE(seen.held_for);
  EXPECT_GE(*seen.held_for, 50ms);
}

TEST_F(inspecting, over_resp2_too) {
  auto how = at(server_);
  how.protocol = 2;
  client holder{how};
  client other{how};
  const lease held = holder.acquire("door");
  const lock_info seen = inspect(other, "door", {.patience = patience}).value();
  EXPECT_EQ(seen.contact, contact::answered);
  EXPECT_EQ(seen.fence, held.fence());
}

TEST_F(inspecting, ones_own_lock_and_one_with_an_owner_of_the_callers_choice) {
  const lease own = watcher_.acquire("own", {.owner = "me"});
  EXPECT_EQ(look("own", {.patience = patience}).fence, own.fence());
  const lease theirs = redis_.acquire("theirs", {.owner = "somebody"});
  const lock_info seen = look("theirs", {.patience = patience});
  EXPECT_EQ(seen.fence, theirs.fence());
  EXPECT_EQ(seen.contact, contact::answered);
  EXPECT_EQ(seen.host, "");
  EXPECT_FALSE(seen.pid);
}

TEST_F(inspecting, without_patience_nobody_is_asked) {
  const lease held = redis_.acquire("door");
  const auto before = server_.command_calls("publish");
  const lock_info seen = look("door", {.patience = 0ms});
  EXPECT_EQ(seen.contact, contact::unasked);
  EXPECT_FALSE(seen.fence);
  EXPECT_EQ(server_.command_calls("publish"), before);
}

TEST_F(inspecting, a_holder_that_is_gone_is_known_at_once) {
  {
    client dying{at(server_)};
    lease held = dying.acquire("door", {.ttl = 30s});
    server_.command({"RENAME", "door", "kept"});  // so that the release does not find it
    held.release();
  }
  server_.command({"RENAME", "kept", "door"});
  const auto start = std::chrono::steady_clock::now();
  const lock_info seen = look("door", {.patience = 60s});
  EXPECT_LT(since(start), 20s) << "waited for somebody who is not there";
  EXPECT_EQ(seen.contact, contact::absent);
  EXPECT_TRUE(seen.held);
}

TEST_F(inspecting, a_stopped_holder_is_silent) {
  process holder{{helper("locker"), server_.url(), "door", "30000", "0"}};
  ASSERT_TRUE(eventually(patience, [&] { return look("door", {.patience = 0ms}).held; }));
  holder.pause();
  const lock_info seen = look("door", {.patience = 300ms});
  EXPECT_EQ(seen.contact, contact::silent);
  EXPECT_EQ(seen.pid, holder.pid());
  EXPECT_FALSE(seen.fence);
}

TEST_F(inspecting, waiters_in_order_bounded_and_counted) {
  lease held = redis_.acquire("door");
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.emplace_back([&, i](const std::stop_token& stop) {
      static_cast<void>(redis_.acquire(std::nothrow, "door", {.owner = "waiter " + std::to_string(i), .stop = stop}));
    });
    ASSERT_TRUE(queue_reaches(server_, "door", i + 1));
  }
  const lock_info seen = look("door", {.patience = 0ms, .most_waiters = 3});
  EXPECT_EQ(seen.waiting, 5U);
  ASSERT_EQ(seen.waiters.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen.waiters[i].owner, "waiter " + std::to_string(i));
    ASSERT_TRUE(seen.waiters[i].waited);
    EXPECT_LT(*seen.waiters[i].waited, patience);
  }
  EXPECT_GE(*seen.waiters[0].waited, *seen.waiters[2].waited);
}

TEST_F(inspecting, a_waiter_with_our_own_owner_tells_its_process) {
  lease held = redis_.acquire("door");
  const std::jthread waiter{
      [&](const std::stop_token& stop) { static_cast<void>(redis_.acquire(std::nothrow, "door", {.stop = stop})); }};
  ASSERT_TRUE(queue_reaches(server_, "door", 1));
  const lock_info seen = look("door", {.patience = 0ms});
  ASSERT_EQ(seen.waiters.size(), 1U);
  EXPECT_EQ(seen.waiters[0].pid, ::getpid());
}

TEST_F(inspecting, a_foreign_plain_lock_and_one_without_expiry) {
  server_.command({"SET", "door", "some-uuid", "PX", "60000"});
  lock_info seen = look("door");
  EXPECT_TRUE(seen.held);
  EXPECT_EQ(seen.layout, lock_layout::plain);
  EXPECT_EQ(seen.owner, "some-uuid");
  EXPECT_EQ(seen.contact, contact::unasked);
  ASSERT_TRUE(seen.remaining);
  EXPECT_GT(*seen.remaining, 30s);
  server_.command({"PERSIST", "door"});
  seen = look("door");
  EXPECT_TRUE(seen.held);
  EXPECT_FALSE(seen.remaining);
}

TEST_F(inspecting, redisson_layouts) {
  server_.command({"HSET", "lock", uuid + ":57", "2"});
  server_.command({"PEXPIRE", "lock", "30000"});
  lock_info seen = look("lock");
  EXPECT_TRUE(seen.held);
  EXPECT_EQ(seen.layout, lock_layout::redisson);
  EXPECT_EQ(seen.type, "hash");
  EXPECT_EQ(seen.owner, uuid + ":57");
  EXPECT_GT(seen.remaining.value(), 10s);

  server_.command({"RPUSH", "redisson_lock_queue:{lock}", uuid + ":58", uuid + ":59"});
  seen = look("lock");
  EXPECT_EQ(seen.layout, lock_layout::redisson_fair);
  EXPECT_EQ(seen.waiting, 2U);
  ASSERT_EQ(seen.waiters.size(), 2U);
  EXPECT_EQ(seen.waiters[0].owner, uuid + ":58");
  EXPECT_FALSE(seen.waiters[0].waited);

  server_.command({"HSET", "rw", "mode", "read", uuid + ":1", "1", uuid + ":2", "1"});
  seen = look("rw");
  EXPECT_EQ(seen.layout, lock_layout::redisson_read);
  EXPECT_EQ(seen.holders, 2U);
  EXPECT_EQ(seen.owner, uuid + ":1");

  server_.command({"HSET", "w", "mode", "write", uuid + ":1:write", "1"});
  EXPECT_EQ(look("w").layout, lock_layout::redisson_write);
}

TEST_F(inspecting, what_is_no_lock_is_named) {
  server_.command({"LPUSH", "a list", "x"});
  server_.command({"HSET", "a hash", "name", "Ada"});
  server_.command({"SET", "long", std::string(5000, 'x')});
  for (const auto& [name, type] :
       {std::pair{"a list", "list"}, std::pair{"a hash", "hash"}, std::pair{"long", "string"}}) {
    const lock_info seen = look(name);
    EXPECT_FALSE(seen.held) << name;
    EXPECT_EQ(seen.layout, lock_layout::other) << name;
    EXPECT_EQ(seen.type, type);
  }
}

TEST_F(inspecting, helpers_of_other_types_do_not_disturb) {
  server_.command({"SET", "{door}:waiters", "not a queue"});
  server_.command({"LPUSH", "{door}:note", "not a note"});
  server_.command({"SET", "door", "x"});
  EXPECT_EQ(look("door").owner, "x");
}

TEST_F(inspecting, bad_names_and_no_server) {
  EXPECT_EQ(inspect(watcher_, "").code(), errc::bad_name);
  EXPECT_EQ(inspect(watcher_, "a{b").code(), errc::bad_name);
  server_.stop();
  EXPECT_EQ(inspect(watcher_, "door").code(), errc::unreachable);
}

TEST_F(inspecting, the_prefix_is_the_clients) {
  auto how = at(server_);
  how.prefix = "app:";
  client prefixed{how};
  const lease held = prefixed.acquire("door");
  const lock_info seen = inspect(prefixed, "door", {.patience = 0ms}).value();
  EXPECT_TRUE(seen.held);
  EXPECT_EQ(seen.name, "door");
  EXPECT_EQ(seen.key, "app:door");
  EXPECT_FALSE(look("door", {.patience = 0ms}).held);
}

TEST_F(inspecting, a_replica_answers_too) {
  const lease held = redis_.acquire("door");
  redis_server replica{{.replica_of = server_.port()}};
  ASSERT_TRUE(eventually(patience, [&] { return replica.number({"EXISTS", "door"}) == 1; }));
  client there{at(replica)};
  EXPECT_EQ(inspect(there, "door", {.patience = 0ms}).value().owner, held.owner());
}

}  // namespace
}  // namespace holdfast::test
