// options::replicas: a lock counts as taken when enough replicas have it, and not otherwise.
#include <gtest/gtest.h>

#include <future>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

class replicas : public testing::Test {
 protected:
  // WAIT may take half of this. Generous: what must not be waited for takes less than a moment, however busy the machine.
  static settings patient(const redis_server& server) { return with_timeout(at(server), 8s); }

  static std::unique_ptr<redis_server> replica_of(const redis_server& primary) {
    return std::make_unique<redis_server>(redis_options{.replica_of = primary.port()});
  }
  bool online(std::size_t count) {
    return eventually(30s, [&] {
      const std::string info = primary_.text({"INFO", "replication"});
      std::size_t found = 0;
      for (auto at = info.find("state=online"); at != info.npos; at = info.find("state=online", at + 1)) ++found;
      return found == count;
    });
  }

  redis_server primary_;
};

TEST_F(replicas, have_the_lock_when_the_call_returns) {
  const auto first = replica_of(primary_);
  const auto second = replica_of(primary_);
  ASSERT_TRUE(online(2));
  client redis{patient(primary_)};
  for (int round = 0; round < 20; ++round) {
    lease held = redis.acquire("door", {.replicas = 2});
    for (const auto& each : {&first, &second}) {
      ASSERT_EQ((*each)->text({"GET", "door"}), std::string{held.owner()}) << "in round " << round;
    }
    EXPECT_EQ(held.release(), release_outcome::released);
  }
}

TEST_F(replicas, too_few_are_an_error_and_the_lock_is_given_back) {
  client redis{with_timeout(at(primary_), 500ms)};
  const auto none = redis.acquire(std::nothrow, "door", {.ttl = 60s, .replicas = 1});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.failure().code, errc::not_replicated);
  EXPECT_TRUE(has(none.failure().detail, "0 of 1 replicas")) << none.failure().detail;
  EXPECT_TRUE(key_goes(primary_, "door"));
  EXPECT_EQ(redis.stats().held_now, 0U);
  EXPECT_EQ(redis.stats().acquired, 0U);
  EXPECT_EQ(redis.try_acquire("door", {.replicas = majority}).code(), errc::not_replicated) << "none is no majority";

  mutex door{redis, "door", {.replicas = 1}};
  EXPECT_THROW(door.lock(), error);
  EXPECT_TRUE(redis.try_acquire("door")) << "nothing was asked for";
}

TEST_F(replicas, one_that_stalls_beyond_those_asked_for_costs_nothing) {
  const auto good = replica_of(primary_);
  const auto stalled = replica_of(primary_);
  ASSERT_TRUE(online(2));
  client redis{patient(primary_)};
  ASSERT_TRUE(redis.acquire("door", {.replicas = majority})) << "and both have been seen";
  stalled->pause();
  for (const replica_count enough : {replica_count{1}, majority}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(redis.acquire("door", {.replicas = enough}));
    EXPECT_LT(since(start), 4s) << "the limit of WAIT";
  }
  const auto both = redis.acquire(std::nothrow, "door", {.replicas = 2});
  ASSERT_FALSE(both);
  EXPECT_TRUE(has(both.failure().detail, "1 of 2 replicas")) << both.failure().detail;
  stalled->resume();
}

// Else a majority would shrink with every replica that is lost.
TEST_F(replicas, that_were_seen_count_for_the_majority_also_when_they_are_gone) {
  std::vector<std::unique_ptr<redis_server>> all;
  for (int i = 0; i < 3; ++i) all.push_back(replica_of(primary_));
  ASSERT_TRUE(online(3));
  client redis{with_timeout(at(primary_), 1s)};
  ASSERT_TRUE(eventually(patience, [&] { return redis.try_acquire("door", {.replicas = majority}).has_value(); }));
  all[0]->kill();
  all[1]->kill();
  ASSERT_TRUE(online(1));
  const auto got = redis.acquire(std::nothrow, "door", {.replicas = majority});
  ASSERT_FALSE(got);
  EXPECT_TRUE(has(got.failure().detail, "1 of 2 replicas")) << got.failure().detail;
}

TEST_F(replicas, are_a_setting_that_a_call_can_override) {
  settings how = at(primary_.url() + "?replicas=1");
  how.command_timeout = 500ms;
  client redis{how};
  EXPECT_EQ(redis.try_acquire("door").code(), errc::not_replicated);
  EXPECT_EQ(redis.try_acquire("door", "me", 1s).code(), errc::not_replicated) << "the call level too";
  EXPECT_TRUE(redis.try_acquire("door", {.replicas = 0}));
  const auto all = try_acquire_all(redis, {"one", "two"});
  EXPECT_EQ(all.code(), errc::not_replicated);
  how.scripts = false;
  client plain{how};
  EXPECT_EQ(plain.try_acquire("door").code(), errc::bad_option);
}

TEST_F(replicas, are_waited_for_by_the_next_owner_as_well) {
  const auto replica = replica_of(primary_);
  ASSERT_TRUE(online(1));
  client redis{patient(primary_)};
  client other{patient(primary_)};
  lease held = redis.acquire("door", {.replicas = 1});
  auto next = std::async(std::launch::async, [&] {
    lease got = other.acquire("door", {.replicas = 1});
    return std::pair{replica->text({"GET", "door"}), std::string{got.owner()}};
  });
  ASSERT_TRUE(queue_reaches(primary_, "door", 1));
  EXPECT_EQ(held.release(), release_outcome::released);
  const auto [there, owner] = next.get();
  EXPECT_EQ(there, owner);
  EXPECT_EQ(other.stats().handoffs_received, 1U);
}

TEST_F(replicas, are_waited_for_on_a_new_link_when_the_old_one_breaks) {
  const auto replica = replica_of(primary_);
  ASSERT_TRUE(online(1));
  client redis{patient(primary_)};
  ASSERT_TRUE(redis.acquire("door", {.replicas = 1}));
  (void)primary_.number({"CLIENT", "KILL", "TYPE", "normal"});  // our own questions go over a new one, too
  primary_.hang_up();
  EXPECT_TRUE(redis.acquire("door", {.replicas = 1}));
}

}  // namespace
}  // namespace holdfast::test
