// The primary behind Sentinels is killed, or stands still, or loses a right: what its leases and waiters go through. How it is
// found and left: sentinel_test.cpp; under contention: tests/chaos/failover_test.cpp.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "redis/common.hpp"
#include "support/sentinel_group.hpp"

namespace holdfast::test {
namespace {

settings through(const std::string& url) {
  settings made = at(url);
  made.connect_timeout = 60s;
  return made;
}

constexpr std::chrono::milliseconds long_patience{40'000};

bool is_client_of(redis_server& server) { return has(server.text({"CLIENT", "LIST"}), "name=holdfast"); }

// The new primary answers, but not the renewal: connected is not verified.
TEST(sentinel_changes, a_lease_is_in_jeopardy_until_the_new_primary_has_verified_it) {
  sentinel_group group{{.redis = {.users = {"user app on >a ~* &* +@all"}}}};
  client redis{through(group.url("app:a@"))};
  const lease held = redis.acquire("door", {.ttl = 60s});
  for (const std::size_t i : {1U, 2U}) {
    ASSERT_TRUE(eventually(patience, [&] { return group.server(i).number({"EXISTS", "door"}) == 1; }));
    ASSERT_EQ(group.server(i).text({"ACL", "SETUSER", "app", "-eval", "-evalsha"}), "OK");
  }
  ASSERT_EQ(held.state(), lease_state::VALID);
  group.fail_over();
  auto& primary = group.primary();
  ASSERT_TRUE(eventually(long_patience, [&] { return is_client_of(primary); }));
  ASSERT_TRUE(eventually(patience, [&] { return held.state() == lease_state::JEOPARDY; }));
  const auto end = std::chrono::steady_clock::now() + 1s;
  while (std::chrono::steady_clock::now() < end) ASSERT_EQ(held.state(), lease_state::JEOPARDY);
  ASSERT_EQ(primary.text({"ACL", "SETUSER", "app", "+eval", "+evalsha"}), "OK");
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::VALID; }));
  EXPECT_EQ(redis.stats().of(loss_cause::failover), 0U);
}

enum class fate : unsigned char { killed, stopped };

class sentinel_changes_by : public testing::TestWithParam<fate> {};

TEST_P(sentinel_changes_by, a_lease_and_its_waiter_follow_to_the_new_primary) {
  sentinel_group group;
  client holder{through(group.url())};
  client waiter{through(group.url())};
  lease held = holder.acquire("door", {.ttl = 60s});
  auto next = std::async(std::launch::async, [&] { return waiter.acquire("door", {.ttl = 20s, .wait = 100s}); });
  ASSERT_TRUE(queue_reaches(group.server(0), "door", 1));
  for (const std::size_t i : {1U, 2U}) ASSERT_TRUE(queue_reaches(group.server(i), "door", 1));

  auto& old = group.server(0);
  GetParam() == fate::killed ? old.kill() : old.pause();
  group.wait_for_other_than(old.port());
  auto& primary = group.primary();
  ASSERT_TRUE(eventually(long_patience, [&] { return is_client_of(primary) && held.state() == lease_state::VALID; }));
  EXPECT_EQ(primary.text({"GET", "door"}), std::string{held.owner()});
  if (GetParam() == fate::stopped) {
    old.resume();  // it takes itself for the primary, until the Sentinels tell it otherwise
    const auto end = std::chrono::steady_clock::now() + 1s;
    while (std::chrono::steady_clock::now() < end) ASSERT_EQ(held.state(), lease_state::VALID);
  }
  ASSERT_TRUE(queue_reaches(primary, "door", 1)) << "the waiter stands in the new primary's queue";
  const auto fence = held.fence();
  EXPECT_EQ(held.release(), release_outcome::released);
  ASSERT_EQ(next.wait_for(long_patience), std::future_status::ready);
  lease handed = next.get();
  EXPECT_GT(handed.fence(), fence);
  EXPECT_EQ(primary.text({"GET", "door"}), std::string{handed.owner()});
  EXPECT_EQ(handed.release(), release_outcome::released);
  EXPECT_TRUE(key_goes(primary, "door"));
  EXPECT_EQ(primary.number({"EXISTS", waiters_of("door")}), 0);
  EXPECT_TRUE(primary.keys_without_expiry().empty());
}

// There is no primary when their limits pass.
TEST_P(sentinel_changes_by, waiters_come_back_at_their_limits) {
  sentinel_group group{{.watch_lines = {"sentinel down-after-milliseconds locks 60000"}}};
  client holder{through(group.url())};
  client waiter{through(group.url())};
  const lease held = holder.acquire("door", {.ttl = 60s});
  std::vector<std::future<std::chrono::nanoseconds>> late;
  late.reserve(8);
  for (int i = 0; i < 8; ++i) {
    late.push_back(std::async(std::launch::async, [&waiter, i] {
      const auto limit = 1s + 100ms * i;
      const auto start = std::chrono::steady_clock::now();
      const auto got = waiter.acquire(std::nothrow, "door", {.wait = limit});
      EXPECT_FALSE(got);
      EXPECT_GE(since(start), limit);
      return since(start) - limit;
    }));
  }
  ASSERT_TRUE(queue_reaches(group.server(0), "door", 8));
  auto& old = group.server(0);
  GetParam() == fate::killed ? old.kill() : old.pause();
  for (auto& each : late) EXPECT_LE(each.get(), 200ms);
}

INSTANTIATE_TEST_SUITE_P(a_primary, sentinel_changes_by, testing::Values(fate::killed, fate::stopped),
                         [](const auto& how) { return how.param == fate::killed ? "killed" : "stopped"; });

}  // namespace
}  // namespace holdfast::test
