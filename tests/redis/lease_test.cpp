// A lease from its acquisition to its end: moving, releasing, extending.
#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <type_traits>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

static_assert(std::is_nothrow_move_constructible_v<lease> && std::is_nothrow_move_assignable_v<lease>);
static_assert(!std::is_copy_constructible_v<lease> && !std::is_copy_assignable_v<lease>);

struct leases : testing::Test {
  redis_server server;
  client redis{at(server)};
};

TEST_F(leases, an_empty_one_holds_nothing) {
  lease none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.state(), lease_state::LOST);
  EXPECT_EQ(none.remaining(), 0ns);
  EXPECT_EQ(none.fence(), 0U);
  EXPECT_EQ(none.name(), "");
  EXPECT_EQ(none.extend(std::nothrow, 1s).code(), errc::lost);
  EXPECT_EQ(none.release(), release_outcome::was_lost);
}

TEST_F(leases, moves_the_lock_with_it) {
  lease first = redis.acquire("door");
  const auto fence = first.fence();
  lease second{std::move(first)};
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): moved from is a state of its own
  EXPECT_EQ(first.fence(), 0U);
  EXPECT_EQ(first.release(), release_outcome::was_lost);
  EXPECT_TRUE(second);
  EXPECT_EQ(second.fence(), fence);
  EXPECT_EQ(server.number({"EXISTS", "door"}), 1);
  second = redis.acquire("window");
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0) << "assignment releases what it held";
  EXPECT_EQ(second.name(), "window");
  lease& same = second;
  second = std::move(same);
  EXPECT_TRUE(second) << "assigned to itself";
  second = lease{};
  EXPECT_EQ(server.number({"EXISTS", "window"}), 0);
}

TEST_F(leases, is_released_where_it_ends_and_from_any_thread) {
  { const lease held = redis.acquire("door"); }
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
  lease held = redis.acquire("door");
  release_outcome outcome{};
  std::thread{[&, mine = std::move(held)]() mutable { outcome = mine.release(); }}.join();
  EXPECT_EQ(outcome, release_outcome::released);
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
}

TEST_F(leases, release_tells_the_truth_once) {
  lease held = redis.acquire("door");
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(held.remaining(), 0ns);
  EXPECT_GT(held.fence(), 0U);
  EXPECT_FALSE(held.lost().stop_requested()) << "a release is no loss";
}

TEST_F(leases, release_after_the_key_was_deleted_is_was_lost) {
  lease held = redis.acquire("door");
  server.number({"DEL", "door"});
  EXPECT_EQ(held.release(), release_outcome::was_lost);
}

TEST_F(leases, release_after_a_takeover_leaves_the_new_owner_alone) {
  lease held = redis.acquire("door");
  server.text({"SET", "door", "usurper", "PX", "60000"});
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  EXPECT_EQ(server.text({"GET", "door"}), "usurper");
}

TEST_F(leases, release_without_an_answer_is_unknown_and_happens_later) {
  client hasty{with_timeout(at(server), 300ms)};
  lease held = hasty.acquire("door");
  server.pause();
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = held.release();
  const auto took = since(start);
  server.resume();
  EXPECT_EQ(outcome, release_outcome::unknown);
  EXPECT_GE(took, 290ms);
  EXPECT_LE(took, 500ms);
  EXPECT_TRUE(key_goes(server, "door")) << "long before its ttl of 30 s";
}

TEST_F(leases, remaining_falls_and_extend_raises_it) {
  lease held = redis.acquire("door", {.ttl = 5s, .renew = false});
  const auto first = held.remaining();
  EXPECT_LT(first, 5s);
  EXPECT_GT(first, 3s);
  EXPECT_TRUE(eventually(patience, [&] { return held.remaining() < first; }));
  held.extend(20s);
  EXPECT_GT(held.remaining(), 15s);
  EXPECT_LT(held.remaining(), 20s);
  EXPECT_GT(server.number({"PTTL", "door"}), 15'000);
  held.extend(2s);
  EXPECT_LE(held.remaining(), 2s) << "shorter is allowed, too";
  EXPECT_LE(server.number({"PTTL", "door"}), 2'000);
  EXPECT_EQ(held.release(), release_outcome::released);
}

TEST_F(leases, extend_of_a_lock_that_is_gone_or_taken_is_a_loss) {
  lease gone = redis.acquire("gone");
  server.number({"DEL", "gone"});
  EXPECT_EQ(gone.extend(std::nothrow, 10s).code(), errc::lost);
  EXPECT_EQ(gone.state(), lease_state::LOST);
  lease taken = redis.acquire("taken");
  server.text({"SET", "taken", "usurper", "PX", "60000"});
  try {
    taken.extend(10s);
    FAIL() << "extended another's lock";
  } catch (const error& problem) {
    EXPECT_EQ(problem.kind(), errc::lost);
    EXPECT_TRUE(has(problem.what(), "taken")) << problem.what();
  }
  EXPECT_LE(server.number({"PTTL", "taken"}), 60'000);
  EXPECT_GT(redis.stats().of(loss_cause::gone), 0U);
  EXPECT_GT(redis.stats().of(loss_cause::taken), 0U);
}

TEST_F(leases, extend_refuses_what_is_no_ttl) {
  lease held = redis.acquire("door");
  for (const auto ttl : {0ms, -1ms, 99ms, std::chrono::milliseconds::max(), std::chrono::milliseconds::min()}) {
    EXPECT_EQ(held.extend(std::nothrow, ttl).code(), errc::bad_option) << ttl.count();
  }
  EXPECT_TRUE(held);
}

TEST_F(leases, a_wait_begun_before_the_release_ends_with_it) {
  lease held = redis.acquire("door");
  auto next = std::async(std::launch::async, [&] { return redis.acquire("door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  const auto fence = held.fence();
  EXPECT_EQ(held.release(), release_outcome::released);
  ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
  EXPECT_GT(next.get(), fence);
}

}  // namespace
}  // namespace holdfast::test
