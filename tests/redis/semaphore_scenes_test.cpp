// The semaphore on one server and on a quorum: permits, fences, its capacity, and who may look at it or break it.
//
// Not here is the order of those who wait: first come, first served is a promise of one server (docs/quorum_family.md).
#include <gtest/gtest.h>
#include <holdfast/inspect.hpp>

#include <atomic>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "redis/deployment.hpp"
#include "redis/quorum_semaphore_ground.hpp"

namespace holdfast::test {
namespace {

struct semaphore_scenes : deployment_scenes {
  // Longer than any of these tests waits: nothing goes by lapsing.
  const options long_hold{.ttl = 60s};
  const std::uint64_t most_permits = servers.is_quorum() ? 10'000 : 100'000'000;

  [[nodiscard]] bool in_use(std::uint64_t permits) {
    return eventually(servers.is_quorum() ? patience : 0ms, [&] {
      const auto seen = inspect(other, "pool");
      return seen && seen->in_use == permits;
    });
  }
  // All nodes agree on its slots: what one gave otherwise is called back, and might be in the way of the next.
  [[nodiscard]] bool settled(const lease& held) {
    return !servers.is_quorum() || on_all(servers.nodes(), "pool", held.owner());
  }
};

INSTANTIATE_TEST_SUITE_P(, semaphore_scenes, testing::Values(1, 3, 4, 5), deployment_name);

TEST_P(semaphore_scenes, takes_k_of_n_and_gives_them_back) {
  semaphore pool{redis, "pool", 3, long_hold};
  EXPECT_EQ(pool.max(), 3U);
  pool.acquire();
  pool.acquire(2);
  EXPECT_TRUE(in_use(3));
  EXPECT_TRUE(servers.without_expiry().empty());
  EXPECT_FALSE(pool.try_acquire());
  EXPECT_FALSE(pool.try_acquire_for(200ms));
  EXPECT_FALSE(pool.try_acquire_until(std::chrono::system_clock::now() + 200ms, 2));
  std::thread{[&] { pool.release(2); }}.join();  // any thread may
  EXPECT_TRUE(pool.try_acquire());
  pool.release(2);  // two of one
  EXPECT_EQ(pool.release(std::nothrow).code(), errc::not_owner);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(semaphore_scenes, there_are_not_more_than_n) {
  semaphore here{redis, "pool", 3, long_hold};
  semaphore there{other, "pool", 3, long_hold};
  std::vector<lease> held;
  for (semaphore* each : {&here, &there, &here}) {
    held.push_back(each->take());
    EXPECT_EQ(held.back().state(), lease_state::VALID);
    EXPECT_TRUE(settled(held.back()));
  }
  const auto refused = there.try_take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::held) << refused.failure().detail;
  EXPECT_EQ(held[1].release(), release_outcome::released);
  EXPECT_TRUE(here.try_take());
  held.clear();
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(semaphore_scenes, fences_increase_from_hold_to_hold) {
  semaphore here{redis, "pool", 2, long_hold};
  semaphore there{other, "pool", 2, long_hold};
  std::uint64_t last = 0;
  std::optional<lease> before;
  for (int i = 0; i < 20; ++i) {
    lease next = (i % 2 == 0 ? here : there).take();
    EXPECT_GT(next.fence(), last);
    last = next.fence();
    before = std::move(next);
  }
}

TEST_P(semaphore_scenes, what_cannot_be_is_refused_at_once) {
  semaphore pool{redis, "pool", 3, long_hold};
  const auto start = std::chrono::steady_clock::now();
  const auto refused = pool.acquire(std::nothrow, 4);
  EXPECT_EQ(refused.code(), errc::bad_option);
  EXPECT_TRUE(has(refused.failure().detail, "capacity is 3")) << refused.failure().detail;
  EXPECT_LT(since(start), 5s);
  EXPECT_EQ(pool.take(std::nothrow, 0).code(), errc::bad_option);
  EXPECT_EQ(pool.set_capacity(std::nothrow, 0).code(), errc::bad_option);
  EXPECT_EQ(pool.set_capacity(std::nothrow, most_permits + 1).code(), errc::bad_option);
  EXPECT_THROW((semaphore{redis, "pool", 0, long_hold}), error);
  EXPECT_THROW((semaphore{redis, "pool", most_permits + 1, long_hold}), error);
  EXPECT_THROW((semaphore{redis, "pool", 3, {.owner = "me"}}), error);
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(semaphore_scenes, a_release_lets_the_next_one_in) {
  semaphore here{redis, "pool", 2, long_hold};
  semaphore there{other, "pool", 2, long_hold};
  std::optional<lease> first = here.take(2);
  auto one = std::async(std::launch::async, [&] { return there.take().fence(); });
  auto two = std::async(std::launch::async, [&] { return there.take().fence(); });
  ASSERT_TRUE(servers.waiting("pool", 2));
  const auto fence = first->fence();
  const auto start = std::chrono::steady_clock::now();
  first.reset();
  ASSERT_EQ(one.wait_for(patience), std::future_status::ready);
  ASSERT_EQ(two.wait_for(patience), std::future_status::ready);
  EXPECT_LT(since(start), 10s) << "long before the ttl";
  EXPECT_GT(one.get(), fence);
  EXPECT_GT(two.get(), fence);
  EXPECT_GE(other.stats().woken_by_push, 1U) << "both were invited at once";
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(semaphore_scenes, a_larger_capacity_lets_waiters_in_at_once) {
  semaphore here{redis, "pool", 1, long_hold};
  semaphore there{other, "pool", 1, long_hold};
  const lease held = here.take();
  auto one = std::async(std::launch::async, [&] { return there.take(); });
  auto two = std::async(std::launch::async, [&] { return there.take(); });
  ASSERT_TRUE(servers.waiting("pool", 2));
  there.set_capacity(3);
  EXPECT_EQ(there.max(), 3U);
  ASSERT_EQ(one.wait_for(patience), std::future_status::ready);
  ASSERT_EQ(two.wait_for(patience), std::future_status::ready);
  lease first = one.get();
  const lease second = two.get();
  // On a quorum two who come at once may split the slots between them, and ask again.
  if (!servers.is_quorum()) {
    EXPECT_EQ(other.stats().woken_by_push, 2U);
  }
  EXPECT_TRUE(servers.without_expiry().empty());
  EXPECT_EQ(there.try_take().code(), errc::held);
  EXPECT_EQ(here.try_take().code(), errc::held) << "for all processes, whatever they were made with";
  EXPECT_EQ(first.release(), release_outcome::released);
  EXPECT_TRUE(here.try_take()) << "the other process's word counts here too";
  const auto found = list(redis, "*").value().locks;
  ASSERT_EQ(found.size(), 1U) << "a capacity is not a lock";
  EXPECT_EQ(found[0].name, "pool");
}

TEST_P(semaphore_scenes, less_capacity_lets_holders_finish_and_refuses_who_cannot_be_served) {
  semaphore pool{redis, "pool", 3, long_hold};
  lease held = pool.take(3);
  auto waiter = std::async(std::launch::async, [&] {
    return semaphore{other, "pool", 3, long_hold}.take(std::nothrow, 3).code();
  });
  ASSERT_TRUE(servers.waiting("pool", 1));
  pool.set_capacity(1);
  EXPECT_EQ(held.state(), lease_state::VALID);
  ASSERT_TRUE(held.extend(std::nothrow, 30s)) << "it keeps what it has";
  EXPECT_EQ(waiter.get(), errc::bad_option);
  EXPECT_FALSE(pool.try_acquire());
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_TRUE(pool.try_acquire());
  EXPECT_FALSE(pool.try_acquire());
}

TEST_P(semaphore_scenes, under_a_smaller_capacity_nobody_comes_in_before_enough_have_gone) {
  semaphore here{redis, "pool", 4, long_hold};
  semaphore there{other, "pool", 4, long_hold};
  std::vector<lease> held;
  for (int i = 0; i < 4; ++i) held.push_back(here.take());
  here.set_capacity(2);
  EXPECT_EQ(there.try_take().code(), errc::held);
  EXPECT_EQ(there.try_take(3).code(), errc::bad_option) << "the capacity is 2";
  for (lease& each : held) {
    EXPECT_EQ(each.state(), lease_state::VALID);
    EXPECT_NO_THROW(each.extend(30s)) << "on a quorum also of a slot beyond the capacity";
  }
  held.pop_back();
  held.pop_back();
  EXPECT_EQ(there.try_take().code(), errc::held) << "two are still in";
  held.pop_back();
  EXPECT_TRUE(there.try_take());
}

TEST_P(semaphore_scenes, the_capacity_lives_as_long_as_it_is_used) {
  semaphore pool{redis, "pool", 1, long_hold};
  pool.set_capacity(2);
  ASSERT_TRUE(servers.all_have("{pool}:capacity"));
  servers.command({"PEXPIRE", "{pool}:capacity", "60000"});
  pool.acquire();
  EXPECT_TRUE(servers.all([](redis_server& each) { return each.number({"PTTL", "{pool}:capacity"}) > 600'000'000; }));
}

TEST_P(semaphore_scenes, what_the_object_still_has_is_given_back) {
  {
    semaphore pool{redis, "pool", 2, long_hold};
    pool.acquire(2);
    EXPECT_TRUE(in_use(2));
  }
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

TEST_P(semaphore_scenes, is_looked_at) {
  semaphore pool{redis, "pool", 5, long_hold};
  const lease one = pool.take(1);
  const lease two = pool.take(3);
  ASSERT_TRUE(settled(one));
  ASSERT_TRUE(settled(two));
  const auto seen = inspect(other, "pool");
  ASSERT_TRUE(seen) << seen.failure().detail;
  EXPECT_TRUE(seen->held);
  EXPECT_EQ(seen->kind, lock_kind::semaphore);
  EXPECT_EQ(seen->layout, lock_layout::shares);
  EXPECT_EQ(seen->capacity, 5U);
  EXPECT_EQ(seen->in_use, 4U);
  ASSERT_EQ(seen->held_by.size(), 2U);
  for (const lock_holder& each : seen->held_by) {
    EXPECT_EQ(each.weight, each.owner == one.owner() ? 1U : 3U);
    EXPECT_TRUE(each.owner == one.owner() || each.owner == two.owner()) << each.owner;
    EXPECT_LE(each.remaining, 60s);
  }
  const auto all = list(other);
  ASSERT_TRUE(all) << all.failure().detail;
  ASSERT_EQ(all->locks.size(), 1U);
  EXPECT_EQ(all->locks[0].in_use, 4U);
  EXPECT_EQ(all->locks[0].kind, lock_kind::semaphore);
}

TEST_P(semaphore_scenes, is_taken_from_all_when_an_operator_breaks_it) {
  std::atomic<int> lost{0};
  options how = long_hold;
  how.on_lost = [&](const loss& what) { lost += what.cause == loss_cause::broken ? 1 : 100; };
  semaphore pool{redis, "pool", 3, how};
  pool.acquire(1);
  pool.acquire(2);
  EXPECT_EQ(break_lock(other, "pool", "somebody").code(), errc::not_owner);
  auto waiter = std::async(std::launch::async, [&] { return semaphore{other, "pool", 3, long_hold}.take(3).fence(); });
  ASSERT_TRUE(servers.waiting("pool", 1));
  const auto broken = break_lock(other, "pool", {});
  ASSERT_TRUE(broken) << broken.failure().detail;
  EXPECT_EQ(broken->holders, 2U);
  EXPECT_TRUE(broken->told);
  EXPECT_TRUE(eventually(patience, [&] { return lost == 2; })) << lost;
  ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
  waiter.get();
  EXPECT_TRUE(servers.nothing_left()) << testing::PrintToString(servers.left());
}

}  // namespace
}  // namespace holdfast::test
