// options::replicas: a lock counts as taken when enough replicas have it, and not otherwise.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

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

  long long blocked() {
    const std::string info = primary_.text({"INFO", "clients"});
    return std::stoll(info.substr(info.find("blocked_clients:") + 16));
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
  all.reserve(3);
  for (int i = 0; i < 3; ++i) all.push_back(replica_of(primary_));
  ASSERT_TRUE(online(3));
  client redis{with_timeout(at(primary_), 1s)};
  ASSERT_TRUE(eventually(patience, [&] { return redis.try_acquire("door", {.replicas = 3}).has_value(); }))
      << "one that is online may still be loading";
  ASSERT_TRUE(redis.try_acquire("door", {.replicas = majority}));
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

// WAIT blocks its connection. Whoever asks for no replicas must not notice.
TEST_F(replicas, that_are_slow_hold_up_no_other_call_of_the_client) {
  const auto stalled = replica_of(primary_);
  ASSERT_TRUE(online(1));
  client redis{patient(primary_)};
  stalled->pause();
  const auto start = std::chrono::steady_clock::now();
  auto slow = std::async(std::launch::async, [&] { return redis.try_acquire("door", {.replicas = 1}).has_value(); });
  ASSERT_TRUE(eventually(patience, [&] { return blocked() == 1; }));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(redis.try_acquire("other"));
  EXPECT_EQ(slow.wait_for(0s), std::future_status::timeout) << "nothing was shown: WAIT was over already";
  EXPECT_LT(since(start), 4s) << "the limit of WAIT";
  stalled->resume();
  EXPECT_TRUE(slow.get());
}

TEST_F(replicas, are_waited_for_no_longer_than_the_call_has_time) {
  client redis{patient(primary_)};
  ASSERT_TRUE(redis.try_acquire("warm"));
  for (int i = 0; i < 3; ++i) {  // the server must not go on blocking for those that have gone
    const auto start = std::chrono::steady_clock::now();
    const auto got = redis.acquire(std::nothrow, "door", {.wait = 300ms, .replicas = 1});
    EXPECT_LT(since(start), 500ms) << i;
    EXPECT_EQ(got.code(), errc::not_replicated);
  }
  EXPECT_TRUE(key_goes(primary_, "door"));
}

// Layouts other than the plain lock's: shares in a sorted set, and a hash.
TEST_F(replicas, are_waited_for_by_every_primitive) {
  const auto replica = replica_of(primary_);
  ASSERT_TRUE(online(1));
  client redis{patient(primary_)};
  semaphore permits{redis, "permits", 2, {.replicas = 1}};
  shared_mutex book{redis, "book", {.replicas = 1}};
  recursive_mutex depth{redis, "depth", {.replicas = 1}};
  // Who holds is among the members, under an owner of that hold.
  const auto in_step = [&](const char* members, const std::vector<std::string>& of) {
    std::vector<std::string> ask{members};
    ask.insert(ask.end(), of.begin(), of.end());
    const auto there = replica->list(ask);
    return !there.empty() && there == primary_.list(ask);
  };
  for (int round = 0; round < 10; ++round) {
    permits.acquire();
    EXPECT_TRUE(in_step("ZRANGE", {"permits", "0", "-1"})) << round;
    permits.release();
    book.lock_shared();
    EXPECT_TRUE(in_step("ZRANGE", {"book", "0", "-1"})) << round;
    book.unlock_shared();
    book.lock();
    EXPECT_TRUE(in_step("ZRANGE", {"book", "0", "-1"})) << round;
    book.unlock();
    depth.lock();
    EXPECT_TRUE(in_step("HKEYS", {"depth"})) << round;
    depth.unlock();
  }
  ASSERT_EQ(primary_.command_calls("wait"), 40);
}

TEST_F(replicas, that_are_too_few_cost_no_permit_and_no_share) {
  client redis{with_timeout(at(primary_), 400ms)};
  semaphore permits{redis, "permits", 1, {.ttl = 60s, .replicas = 1}};
  EXPECT_EQ(permits.acquire(std::nothrow).code(), errc::not_replicated);
  EXPECT_TRUE(key_goes(primary_, "permits"));
  recursive_mutex depth{redis, "depth", {.ttl = 60s, .replicas = 1}};
  EXPECT_THROW(depth.lock(), error);
  EXPECT_TRUE(key_goes(primary_, "depth"));
  semaphore undemanding{redis, "permits", 1};
  EXPECT_TRUE(undemanding.try_acquire()) << "the permit was given back";
  undemanding.release();
}

// Nobody leads while too few would know, and everybody goes on campaigning.
TEST_F(replicas, that_are_too_few_elect_nobody_until_there_are_enough) {
  settings how = at(primary_.url() + "?replicas=1");
  how.command_timeout = 400ms;
  client redis{how};
  elector seat{redis, "seat", {.id = "one"}};
  std::stop_source stop;
  std::atomic<bool> leads = false;
  auto campaign = std::async(std::launch::async, [&] {
    seat.run(stop.get_token(), [&](std::uint64_t, const std::stop_token& over) {
      leads = true;
      while (!over.stop_requested()) std::this_thread::sleep_for(5ms);
    });
  });
  ASSERT_TRUE(
      eventually(patience, [&] { return redis.stats().errors[static_cast<std::size_t>(errc::not_replicated)] >= 2; }));
  EXPECT_FALSE(leads);
  const auto replica = replica_of(primary_);
  EXPECT_TRUE(eventually(30s, [&] { return leads.load(); }));
  EXPECT_EQ(replica->number({"EXISTS", "seat"}), 1);
  stop.request_stop();
  EXPECT_NO_THROW(campaign.get());
}

// The lock goes between its grant and its confirmation: whoever may wait goes on waiting, a try is told.
TEST_F(replicas, are_waited_for_again_when_the_lock_went_meanwhile) {
  const auto stalled = replica_of(primary_);
  ASSERT_TRUE(online(1));
  client redis{patient(primary_)};
  stalled->pause();
  auto first = std::async(std::launch::async, [&] { return redis.acquire("first", {.replicas = 1}); });
  ASSERT_TRUE(eventually(patience, [&] { return blocked() == 1; }));
  auto waits = std::async(std::launch::async, [&] { return redis.acquire("waits", {.wait = 60s, .replicas = 1}); });
  auto tries = std::async(std::launch::async, [&] { return redis.try_acquire("tries", {.replicas = 1}).code(); });
  ASSERT_TRUE(eventually(patience, [&] { return primary_.number({"EXISTS", "waits", "tries"}) == 2; }));
  ASSERT_EQ(primary_.number({"DEL", "waits", "tries"}), 2);  // granted, and in line for WAIT
  stalled->resume();
  EXPECT_EQ(tries.get(), errc::lost);
  const lease got = waits.get();
  EXPECT_EQ(stalled->text({"GET", "waits"}), std::string{got.owner()});
  EXPECT_TRUE(first.get());
}

TEST_F(replicas, are_refused_on_a_quorum_which_has_none) {
  client redis{at("redis+quorum://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3")};
  for (const replica_count asked : {replica_count{1}, majority}) {
    const auto got = redis.try_acquire("door", {.replicas = asked});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().code, errc::bad_option);
    EXPECT_TRUE(has(got.failure().detail, "replicas is asked for, and a quorum")) << got.failure().detail;
  }
  EXPECT_THROW((mutex{redis, "door", {.replicas = 1}}), error);
}

}  // namespace
}  // namespace holdfast::test
