// Locks behind real Sentinels: how the primary is found, and what happens to leases and waiters when it changes.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "redis/common.hpp"
#include "support/certificates.hpp"
#include "support/sentinel_group.hpp"

namespace holdfast::test {
namespace {

// A failover by the Sentinels of sentinel_group takes some seconds; waiters put up with it.
settings through(const std::string& url) {
  settings made = at(url);
  made.connect_timeout = 30s;
  return made;
}

constexpr std::chrono::milliseconds long_patience{40'000};

bool becomes(const lease& held, lease_state wanted) {
  return eventually(long_patience, [&] { return held.state() == wanted; });
}

TEST(sentinel, the_primary_is_found_whichever_sentinel_is_down) {
  sentinel_group group;
  {
    client redis{through(group.url())};
    const lease held = redis.acquire("door");
    EXPECT_EQ(group.server(0).text({"GET", "door"}), std::string{held.owner()});
  }
  group.watcher(0).kill();
  {
    client redis{through(group.url())};
    EXPECT_TRUE(redis.acquire("door"));
  }
  group.watcher(1).pause();  // accepts connections and says nothing
  {
    client redis{through(group.url())};
    EXPECT_TRUE(redis.acquire("door"));
  }
  group.watcher(1).resume();
}

TEST(sentinel, without_any_sentinel_what_is_connected_goes_on_and_what_is_not_is_told_why) {
  sentinel_group group;
  client before{through(group.url())};
  const lease held = before.acquire("door", {.ttl = 600ms});
  for (std::size_t i = 0; i < 3; ++i) group.watcher(i).kill();
  const auto renewals = before.stats().renewals;
  EXPECT_TRUE(eventually(patience, [&] { return before.stats().renewals > renewals + 2; }));
  EXPECT_EQ(held.state(), lease_state::VALID);

  client after{through(group.url())};
  const auto tried = after.try_acquire("other");
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.failure().code, errc::unreachable);
  EXPECT_TRUE(has(tried.failure().detail, "no Sentinel can be asked")) << tried.failure().detail;
  EXPECT_TRUE(has(tried.failure().detail, std::to_string(group.watcher(2).port()))) << tried.failure().detail;
}

TEST(sentinel, a_name_that_no_sentinel_knows_is_told_at_once) {
  sentinel_group group{{.replicas = 0, .sentinels = 1}};
  settings how = through(group.url());
  how.primary_name = "no-such";
  client redis{how};
  const auto start = std::chrono::steady_clock::now();
  const auto got = redis.acquire(std::nothrow, "door");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.failure().code, errc::refused);
  EXPECT_TRUE(has(got.failure().detail, "'no-such'")) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, "SENTINEL MASTERS")) << got.failure().detail;
  EXPECT_LT(since(start), how.connect_timeout);
}

TEST(sentinel, sentinels_and_redis_have_credentials_of_their_own) {
  sentinel_group group{{.replicas = 1,
                        .sentinels = 2,
                        .redis = {.config = {"masterauth for-redis"}, .requirepass = "for-redis"},
                        .watch_lines = {"sentinel auth-pass locks for-redis"},
                        .sentinel = {.config = {"sentinel sentinel-pass for-sentinels"}, .password = "for-sentinels"}}};
  client good{through(group.url(":for-redis@", "?sentinel_password=for-sentinels"))};
  EXPECT_TRUE(good.acquire("door"));

  for (const char* const rest : {"", "?sentinel_password=wrong"}) {
    client bad{through(group.url(":for-redis@", rest))};
    const auto got = bad.acquire(std::nothrow, "door");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().code, errc::refused);
    EXPECT_TRUE(has(got.failure().detail, "sentinel_password")) << got.failure().detail;
    EXPECT_FALSE(has(got.failure().detail, "for-redis") || has(got.failure().detail, "wrong,")) << got.failure().detail;
  }
  // The Sentinels' password is not Redis's.
  client other{through(group.url(":for-sentinels@", "?sentinel_password=for-sentinels"))};
  const auto refused = other.acquire(std::nothrow, "door");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().code, errc::refused);
  EXPECT_TRUE(has(refused.failure().detail, "Redis refused")) << refused.failure().detail;
}

TEST(sentinel, tls_to_both_or_to_one_of_them) {
  const temp_dir dir;
  const auto made = make_certificates(dir.path().string());
  const tls_files files{made.server.cert, made.server.key, made.ca.cert};
  redis_server server{{.tls = files}};
  const sentinel secret{server.tls_port(), {}, {.tls = files}};
  const sentinel plain_to_tls{server.tls_port(), {}};
  const sentinel plain{server.port(), {}};
  const auto url = [](const char* scheme, const sentinel& at) {
    return std::string{scheme} + "+sentinel://127.0.0.1:" + std::to_string(at.port()) + "/locks?tls_ca=";
  };
  client both{through(url("rediss", secret) + made.ca.cert)};
  EXPECT_TRUE(both.acquire("door"));
  client redis_only{through(url("rediss", plain_to_tls) + made.ca.cert + "&sentinel_tls=no")};
  EXPECT_TRUE(redis_only.acquire("door"));
  const sentinel secret_to_plain{server.port(), {"tls-replication no"}, {.tls = files}};
  client sentinel_only{through(url("redis", secret_to_plain) + made.ca.cert + "&sentinel_tls=yes")};
  EXPECT_TRUE(sentinel_only.acquire("door"));
  client stranger{through(url("rediss", secret) + made.other_ca.cert)};
  const auto got = stranger.acquire(std::nothrow, "door");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.failure().code, errc::refused) << got.failure().detail;
}

// A Sentinel that names a replica: its word is not believed, and others are heard.
TEST(sentinel, a_stale_sentinel_is_found_out_by_the_role) {
  sentinel_group group{{.replicas = 1, .sentinels = 1}};
  const sentinel stale{group.server(1).port(), {}};
  const std::string there = "127.0.0.1:" + std::to_string(stale.port());
  settings how = through("redis+sentinel://" + there + "/locks");
  how.connect_timeout = 1s;
  client misled{how};
  const auto got = misled.acquire(std::nothrow, "door", {.wait = 3s});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.failure().code, errc::unreachable) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, "role is slave")) << got.failure().detail;
  EXPECT_EQ(group.server(0).keys().size(), 0U);

  client both{
      through("redis+sentinel://" + there + ",127.0.0.1:" + std::to_string(group.watcher(0).port()) + "/locks")};
  EXPECT_TRUE(both.acquire("door"));
}

TEST(sentinel, a_lease_and_its_waiters_live_through_a_failover) {
  sentinel_group group;
  client holder{through(group.url())};
  client waiter{through(group.url())};
  auto held = std::make_unique<lease>(holder.acquire("door", {.ttl = 20s}));
  const auto fence = held->fence();
  auto next = std::async(std::launch::async, [&] { return waiter.acquire("door", {.ttl = 20s, .wait = 60s}); });
  ASSERT_TRUE(queue_reaches(group.server(0), "door", 1));

  group.fail_over();
  auto& primary = group.primary();
  ASSERT_NE(primary.port(), group.server(0).port());
  ASSERT_TRUE(becomes(*held, lease_state::VALID));
  EXPECT_EQ(primary.text({"GET", "door"}), std::string{held->owner()});
  EXPECT_GT(primary.number({"PTTL", "door"}), 10'000);
  ASSERT_TRUE(queue_reaches(primary, "door", 1)) << "the waiter stands in the new primary's queue";

  EXPECT_EQ(held->release(), release_outcome::released);
  ASSERT_EQ(next.wait_for(long_patience), std::future_status::ready);
  const lease handed = next.get();
  EXPECT_GT(handed.fence(), fence);
  EXPECT_EQ(holder.stats().of(loss_cause::failover), 0U);
}

// The new primary never had it: the lease is lost, and says why. Also one that is not renewed, which nobody would ask for
// otherwise until it ends.
TEST(sentinel, a_lease_that_the_new_primary_does_not_have_is_lost_by_failover) {
  for (const bool renewed : {true, false}) {
    sentinel_group group{{.replicas = 1}};
    client redis{through(group.url())};
    std::promise<loss> told;
    const lease held = redis.acquire(
        "door", {.ttl = 60s, .renew = renewed, .on_lost = [&](const loss& what) { told.set_value(what); }});
    auto& replica = group.server(1);
    ASSERT_TRUE(eventually(patience, [&] { return replica.number({"EXISTS", "door"}) == 1; }));
    replica.text({"CONFIG", "SET", "replica-read-only", "no"});
    ASSERT_EQ(replica.number({"DEL", "door"}), 1);
    group.fail_over();
    auto heard = told.get_future();
    ASSERT_EQ(heard.wait_for(long_patience), std::future_status::ready) << "renewed " << renewed;
    EXPECT_EQ(heard.get().cause, loss_cause::failover);
    EXPECT_EQ(held.state(), lease_state::LOST);
    EXPECT_EQ(redis.stats().of(loss_cause::failover), 1U);
  }
}

// The Sentinels and the replicas cannot reach the primary any more, the client still can. It must leave there, or two
// would hold one lock.
TEST(sentinel, an_old_primary_behind_a_partition_is_left) {
  sentinel_group group{
      {.redis = {.config = {"masteruser watch", "masterauth w"},
                 .users = {"user default off", "user watch on >w ~* &* +@all", "user app on >a ~* &* +@all"}},
       .watch_lines = {"sentinel auth-user locks watch", "sentinel auth-pass locks w"}}};
  client redis{through(group.url("app:a@"))};
  const lease held = redis.acquire("door", {.ttl = 20s});
  auto& old = group.server(0);
  ASSERT_TRUE(eventually(patience, [&] { return group.server(1).number({"EXISTS", "door"}) == 1; }));
  ASSERT_TRUE(eventually(patience, [&] { return group.server(2).number({"EXISTS", "door"}) == 1; }));

  old.text({"ACL", "SETUSER", "watch", "off"});
  (void)old.number({"CLIENT", "KILL", "USER", "watch"});
  group.wait_for_other_than(old.port());
  auto& primary = group.primary();
  ASSERT_TRUE(has(old.text({"INFO", "replication"}), "role:master")) << "it still believes to be the primary";

  const auto is_client_of = [](redis_server& server) { return has(server.text({"CLIENT", "LIST"}), "name=holdfast"); };
  EXPECT_TRUE(eventually(patience, [&] { return is_client_of(primary) && !is_client_of(old); }));
  ASSERT_TRUE(becomes(held, lease_state::VALID));
  EXPECT_EQ(redis.stats().of(loss_cause::failover), 0U);
  client newcomer{through(group.url("app:a@"))};
  const auto tried = newcomer.try_acquire("door");
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.failure().code, errc::held) << tried.failure().detail;
}

}  // namespace
}  // namespace holdfast::test
