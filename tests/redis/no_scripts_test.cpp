// scripts = off, against a server that denies scripting: the mutex, leases and the call level behave as with scripts, but
// for the queue.
#include "redis/no_scripts.hpp"

#include <future>
#include <mutex>
#include <thread>

namespace holdfast::test {
namespace {

using steady = std::chrono::steady_clock;

TEST_F(no_scripts, no_script_is_ever_sent) {
  { const lease held = redis.acquire("app:door"); }
  EXPECT_EQ(scripts_run(server), 0);
  EXPECT_EQ(server.command_calls("exec"), 2);
}

TEST_F(no_scripts, a_client_with_scripts_is_told_what_to_do) {
  settings how = unscripted_at(server.url());
  how.scripts = true;
  client naive{how};
  const auto got = naive.try_acquire("app:door");
  ASSERT_EQ(got.code(), errc::refused);
  EXPECT_TRUE(has(got.failure().detail, "scripts = off")) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, "'evalsha'")) << got.failure().detail;
}

TEST_F(no_scripts, comes_from_the_url) {
  client by_url{at("redis://app:app-secret@127.0.0.1:" + std::to_string(server.port()) + "?scripts=off")};
  EXPECT_TRUE(by_url.try_acquire("app:door"));
}

TEST_F(no_scripts, mutex_is_lockable_and_timed_lockable) {
  holdfast::mutex mine{redis, "app:door"};
  holdfast::mutex theirs{other, "app:door"};
  {
    const std::lock_guard hold{mine};
    EXPECT_FALSE(theirs.try_lock());
    EXPECT_FALSE(theirs.try_lock_for(100ms));
    EXPECT_EQ(theirs.try_lock(std::nothrow).code(), errc::held);
    EXPECT_TRUE(has(theirs.try_lock(std::nothrow).failure().detail, ":noscript"));
    EXPECT_GT(mine.fence(), 0U);
    EXPECT_EQ(mine.state(), lease_state::VALID);
    EXPECT_GT(mine.remaining(), 20s);
  }
  std::unique_lock hold{theirs, std::defer_lock};
  ASSERT_TRUE(hold.try_lock_until(steady::now() + 5s));
  EXPECT_GT(theirs.fence(), mine.fence());
  auto next = std::async(std::launch::async, [&] {
    const std::lock_guard inner{mine};
    return mine.fence();
  });
  std::this_thread::sleep_for(50ms);
  const auto before = theirs.fence();
  hold.unlock();
  EXPECT_GT(next.get(), before);
}

TEST_F(no_scripts, waiting_polls_and_ends_in_time) {
  const lease held = redis.acquire("app:door");
  const auto start = steady::now();
  const auto in_vain = other.acquire(std::nothrow, "app:door", {.wait = 300ms});
  EXPECT_EQ(in_vain.code(), errc::timed_out);
  EXPECT_GE(since(start), 290ms);
  EXPECT_LE(since(start), 2s);
  EXPECT_EQ(server.number({"EXISTS", waiters_of("app:door")}), 0) << "nobody queues";
  std::stop_source stop;
  auto waiting = std::async(std::launch::async,
                            [&] { return other.acquire(std::nothrow, "app:door", {.stop = stop.get_token()}).code(); });
  std::this_thread::sleep_for(50ms);
  stop.request_stop();
  EXPECT_EQ(waiting.get(), errc::cancelled);
}

TEST_F(no_scripts, retry_says_how_often_is_looked) {
  const lease held = redis.acquire("app:door");
  const auto looks = [&](backoff retry) {
    const auto before = server.command_calls("watch");
    EXPECT_EQ(other.acquire(std::nothrow, "app:door", {.wait = 600ms, .retry = retry}).code(), errc::timed_out);
    return server.command_calls("watch") - before;
  };
  EXPECT_LE(looks({200ms, 200ms}), 5);
  EXPECT_GE(looks({5ms, 5ms}), 15);
}

TEST_F(no_scripts, a_lease_is_renewed_and_extended) {
  lease held = redis.acquire("app:door", {.ttl = 900ms});
  // Every third of the ttl, so the last of them comes after it.
  ASSERT_TRUE(eventually(patience, [&] { return redis.stats().renewals >= 4; }));
  ASSERT_EQ(held.state(), lease_state::VALID);
  const auto refused = other.try_acquire("app:door");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::held);
  ASSERT_TRUE(held.extend(std::nothrow, 20s));
  EXPECT_GT(server.number({"PTTL", "app:door"}), 15'000);
  EXPECT_GT(held.remaining(), 15s);
  EXPECT_EQ(held.release(), release_outcome::released);
}

TEST_F(no_scripts, renew_off_ends_with_the_ttl_and_max_hold_caps) {
  lease plain = redis.acquire("app:a", {.ttl = 300ms, .renew = false});
  lease capped = redis.acquire("app:b", {.ttl = 300ms, .max_hold = 700ms});
  EXPECT_TRUE(eventually(patience, [&] { return plain.state() == lease_state::LOST; }));
  EXPECT_EQ(capped.state(), lease_state::VALID) << "renewed meanwhile";
  EXPECT_TRUE(eventually(patience, [&] { return capped.state() == lease_state::LOST; }));
  EXPECT_TRUE(key_goes(server, "app:a") && key_goes(server, "app:b"));
}

TEST_F(no_scripts, loss_is_signalled) {
  for (const bool taken : {false, true}) {
    std::promise<loss_cause> told;
    lease held =
        redis.acquire("app:door", {.ttl = 600ms, .on_lost = [&](const loss& what) { told.set_value(what.cause); }});
    const auto token = held.lost();
    if (taken) {
      server.text({"SET", "app:door", "thief", "PX", "60000"});
    } else {
      server.number({"DEL", "app:door"});
    }
    auto cause = told.get_future();
    ASSERT_EQ(cause.wait_for(patience), std::future_status::ready);
    EXPECT_EQ(cause.get(), taken ? loss_cause::taken : loss_cause::gone);
    EXPECT_TRUE(token.stop_requested());
    EXPECT_EQ(held.release(), release_outcome::was_lost);
    EXPECT_EQ(server.command({"GET", "app:door"}).text, taken ? "thief" : "");
    server.number({"DEL", "app:door"});
  }
}

TEST_F(no_scripts, call_level) {
  const auto got = redis.try_acquire("app:job", "me", 5s);
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_GT(got->fence, 0U);
  EXPECT_GT(got->validity, 4s);
  EXPECT_EQ(other.try_acquire("app:job", "you", 5s).code(), errc::held);
  const auto again = other.try_acquire("app:job", "me", 9s);  // the same owner, from another client: its own lock
  ASSERT_TRUE(again);
  EXPECT_GE(again->fence, got->fence);
  EXPECT_GT(server.number({"PTTL", "app:job"}), 6'000);
  EXPECT_TRUE(redis.extend("app:job", "me", 20s));
  EXPECT_GT(server.number({"PTTL", "app:job"}), 15'000);
  EXPECT_EQ(redis.extend("app:job", "you", 5s).code(), errc::not_owner);
  EXPECT_EQ(redis.release("app:job", "you").code(), errc::not_owner);
  EXPECT_TRUE(redis.release("app:job", "me"));
  EXPECT_EQ(redis.release("app:job", "me").code(), errc::not_owner);
  EXPECT_EQ(redis.extend("app:job", "me", 5s).code(), errc::not_owner);
}

TEST_F(no_scripts, a_lock_that_was_left_is_extended_and_released_with_its_note) {
  lease held = scripted.acquire("app:door", {.ttl = 5s});
  const std::string owner{held.owner()};
  ASSERT_TRUE(held.leave());
  ASSERT_TRUE(redis.extend("app:door", owner, 30s));
  EXPECT_GT(server.number({"PTTL", "{app:door}:note"}), 20'000);
  ASSERT_TRUE(redis.release("app:door", owner));
}

TEST_F(no_scripts, another_type_at_the_key_is_named) {
  server.number({"RPUSH", "app:list", "x"});
  EXPECT_EQ(redis.try_acquire("app:list").code(), errc::wrong_type);
  EXPECT_EQ(redis.release("app:list", "me").code(), errc::not_owner);
  EXPECT_EQ(redis.extend("app:list", "me", 5s).code(), errc::not_owner);
  server.number({"DEL", "app:list"});
}

TEST_F(no_scripts, fences_increase_with_and_without_scripts_and_after_the_loss_of_the_counter) {
  std::uint64_t last = 0;
  for (int i = 0; i < 30; ++i) {
    client& who = i % 3 == 0 ? scripted : i % 3 == 1 ? redis : other;
    if (i == 15) server.text({"FLUSHALL"});
    const lease held = who.acquire("app:door");
    EXPECT_GT(held.fence(), last) << i;
    last = held.fence();
  }
  EXPECT_EQ(redis.acquire("app:door", {.fence = false}).fence(), 0U);
}

TEST_F(no_scripts, without_a_fence_the_lock_is_given_back) {
  lease first = redis.acquire("app:door");
  EXPECT_EQ(first.release(), release_outcome::released);
  const auto counters = server.keys();
  ASSERT_EQ(counters.size(), 1U);
  server.text({"SET", counters[0], "no number", "PX", "60000"});
  const auto got = redis.try_acquire("app:door");
  EXPECT_EQ(got.code(), errc::protocol) << "EXEC does not undo the SET";
  EXPECT_EQ(left_behind(server), std::vector<std::string>{});
}

TEST_F(no_scripts, what_needs_scripts_is_refused_by_name) {
  const auto refused = [](const char* what, const auto& make) {
    try {
      make();
      ADD_FAILURE() << what << " was not refused";
    } catch (const error& problem) {
      EXPECT_EQ(problem.kind(), errc::bad_option) << what;
      EXPECT_TRUE(has(problem.what(), "scripts = off")) << problem.what();
      EXPECT_TRUE(has(problem.what(), what)) << problem.what();
    }
  };
  refused("recursive_mutex", [&] { recursive_mutex{redis, "app:x"}; });
  refused("shared_mutex", [&] { holdfast::shared_mutex{redis, "app:x"}; });
  refused("semaphore", [&] { semaphore{redis, "app:x", 2}; });
  refused("latch", [&] { holdfast::latch{redis, "app:x", 2}; });
  refused("barrier", [&] { holdfast::barrier{redis, "app:x", 2}; });
  refused("multi_lock", [&] { multi_lock{redis, {"app:x", "app:y"}}; });
  refused("elector", [&] { elector{redis, "app:x"}; });
  refused("leader_watch", [&] { leader_watch{redis, "app:x", [](const auto&) {}}; });
  refused("cache", [&] { cache<int>{redis}; });
  refused("several", [&] { static_cast<void>(acquire_all(redis, {"app:x", "app:y"})); });
  refused("lock", [&] { static_cast<void>(acquire_shared(redis, "app:x")); });
  refused("inspect", [&] { static_cast<void>(inspect(redis, "app:x").value()); });
  refused("list", [&] { static_cast<void>(list(redis, "app:*").value()); });
  refused("break_lock", [&] { static_cast<void>(break_lock(redis, "app:x", "me").value()); });
  refused("leader_of", [&] { static_cast<void>(leader_of(redis, "app:x").value()); });
  refused("signal_prefix", [&] { static_cast<void>(redis.acquire("app:x", {.signal_prefix = "lock-signal:"})); });
  refused("leave", [&] { redis.acquire("app:x").leave().value(); });
  EXPECT_EQ(scripts_run(server), 0);
}

// Different locks, one connection: had two transactions a watch in common, one's EXEC would let the other's through.
void use_from_many_threads(const settings& how) {
  client redis{how};
  constexpr int threads = 8;
  constexpr int rounds = 25;
  std::vector<std::jthread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        lease held = redis.acquire("app:" + std::to_string((t + i) % 3), {.retry = {1ms, 5ms}});
        EXPECT_EQ(held.state(), lease_state::VALID);
        EXPECT_EQ(held.release(), release_outcome::released);
      }
    });
  }
  workers.clear();
  EXPECT_EQ(redis.stats().acquired, static_cast<std::uint64_t>(threads * rounds));
  EXPECT_EQ(redis.stats().released, static_cast<std::uint64_t>(threads * rounds));
}

TEST_F(no_scripts, many_threads_of_one_client_share_its_one_watch) {
  for (const int protocol : {3, 2}) {
    for (const std::uint32_t in_flight : {4096U, 1U}) {
      settings how = unscripted_at(server.url());
      how.protocol = protocol;
      how.max_in_flight = in_flight;
      use_from_many_threads(how);
    }
  }
}

TEST_F(no_scripts, closing_a_client_ends_those_who_wait_for_their_turn) {
  auto held = other.try_acquire("app:door");
  ASSERT_TRUE(held);
  auto leaving = std::make_unique<client>(unscripted_at(server.url()));
  std::vector<std::future<errc>> waiting;
  for (int i = 0; i < 6; ++i) {
    waiting.push_back(std::async(std::launch::async, [&redis = *leaving] {
      return redis.acquire(std::nothrow, "app:door", {.retry = {1ms, 1ms}}).code();
    }));
  }
  std::this_thread::sleep_for(100ms);
  leaving.reset();
  for (auto& each : waiting) EXPECT_EQ(each.get(), errc::cancelled);
}

}  // namespace
}  // namespace holdfast::test
