// lease::leave: the lock outlives its process on purpose, and whoever knows the owner goes on with it.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

class leaving : public testing::Test {
 protected:
  redis_server server_;
  client other_{at(server_)};

  lock_info look() { return inspect(other_, "door", {.patience = patience}).value(); }
};

TEST_F(leaving, the_lock_stays_for_a_whole_ttl_and_the_note_tells_of_it) {
  std::string owner;
  std::uint64_t fence = 0;
  {
    client redis{at(server_)};
    lease held = redis.acquire("door", {.ttl = 20s});
    owner = held.owner();
    fence = held.fence();
    server_.command({"PEXPIRE", "door", "5000"});
    std::this_thread::sleep_for(20ms);
    ASSERT_TRUE(held.leave());
    EXPECT_EQ(held.state(), lease_state::LOST);
    EXPECT_FALSE(held.lost().stop_requested()) << "nothing was lost";
    EXPECT_EQ(held.owner(), owner);
    EXPECT_EQ(redis.stats().held_now, 0U);
  }
  EXPECT_EQ(server_.text({"GET", "door"}), owner);
  EXPECT_GT(server_.number({"PTTL", "door"}), 10'000);
  EXPECT_GT(server_.number({"PTTL", "{door}:note"}), 10'000);
  const lock_info seen = look();
  EXPECT_EQ(seen.contact, contact::left);
  EXPECT_EQ(seen.fence, fence);
  EXPECT_GE(seen.held_for.value(), 20ms);
  EXPECT_LT(seen.held_for.value(), 60s);
}

TEST_F(leaving, it_is_not_renewed_any_more) {
  client redis{at(server_)};
  lease held = redis.acquire("door", {.ttl = 300ms});
  ASSERT_TRUE(held.leave());
  EXPECT_TRUE(key_goes(server_, "door"));
  EXPECT_TRUE(key_goes(server_, "{door}:note"));
  EXPECT_EQ(redis.stats().of(loss_cause::expired), 0U);
}

TEST_F(leaving, another_process_extends_and_releases_with_the_note) {
  client redis{at(server_)};
  lease held = redis.acquire("door", {.ttl = 5s});
  ASSERT_TRUE(held.leave());
  ASSERT_TRUE(other_.extend("door", held.owner(), 50s));
  EXPECT_GT(server_.number({"PTTL", "door"}), 10'000);
  EXPECT_GT(server_.number({"PTTL", "{door}:note"}), 10'000) << "the note ends before the lock";
  EXPECT_EQ(look().fence, held.fence());
  ASSERT_TRUE(other_.release("door", held.owner()));
  EXPECT_EQ(server_.number({"EXISTS", "door", "{door}:note"}), 0);
}

TEST_F(leaving, breaking_takes_the_note_along) {
  client redis{at(server_)};
  lease held = redis.acquire("door", {.ttl = 5s});
  ASSERT_TRUE(held.leave());
  ASSERT_TRUE(break_lock(other_, "door", held.owner()));
  EXPECT_EQ(server_.number({"EXISTS", "door", "{door}:note"}), 0);
}

TEST_F(leaving, a_lock_that_is_not_ours_any_more_is_lost) {
  client redis{at(server_)};
  lease taken = redis.acquire("door", {.ttl = 60s});
  server_.command({"SET", "door", "another", "PX", "60000"});
  auto refused = taken.leave();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::lost);
  EXPECT_EQ(server_.number({"EXISTS", "{door}:note"}), 0);
  EXPECT_EQ(redis.stats().of(loss_cause::taken), 1U);
  lease gone = redis.acquire("window", {.ttl = 60s});
  server_.command({"DEL", "window"});
  EXPECT_EQ(gone.leave().code(), errc::lost);
}

TEST_F(leaving, twice_released_or_empty_is_lost) {
  client redis{at(server_)};
  lease held = redis.acquire("door", {.ttl = 5s});
  ASSERT_TRUE(held.leave());
  EXPECT_EQ(held.leave().code(), errc::lost);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  EXPECT_EQ(server_.number({"EXISTS", "door"}), 1) << "releasing a lock that was left took it";
  EXPECT_EQ(lease{}.leave().code(), errc::lost);
}

TEST_F(leaving, without_an_answer_the_lease_goes_on) {
  client redis{with_timeout(at(server_), 200ms)};
  lease held = redis.acquire("door", {.ttl = 60s});
  server_.pause();
  EXPECT_EQ(held.leave().code(), errc::unreachable);
  server_.resume();
  EXPECT_NE(held.state(), lease_state::LOST);
  EXPECT_EQ(held.release(), release_outcome::released);
}

TEST_F(leaving, max_hold_is_not_exceeded) {
  client redis{at(server_)};
  lease held = redis.acquire("door", {.ttl = 20s, .max_hold = 25s});
  std::this_thread::sleep_for(10ms);
  ASSERT_TRUE(held.extend(std::nothrow, 24s));
  ASSERT_TRUE(held.leave());
  EXPECT_LE(server_.number({"PTTL", "door"}), 25'000);
}

}  // namespace
}  // namespace holdfast::test
