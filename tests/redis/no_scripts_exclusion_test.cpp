// scripts = off beside clients with scripts and plain SET NX users: exclusion in all directions, the order with a queue,
// crashed holders, a model of it all.
#include <map>
#include <random>
#include <thread>

#include "redis/bumping.hpp"
#include "redis/no_scripts.hpp"
#include "support/places.hpp"
#include "support/process.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

TEST_F(no_scripts, excludes_and_is_excluded_by_clients_with_scripts) {
  {
    const lease held = redis.acquire("app:door");
    EXPECT_EQ(scripted.try_acquire("app:door").code(), errc::held);
  }
  const lease held = scripted.acquire("app:door");
  EXPECT_EQ(redis.try_acquire("app:door").code(), errc::held);
}

TEST_F(no_scripts, excludes_and_is_excluded_by_set_nx) {
  {
    const lease held = redis.acquire("app:door");
    EXPECT_NE(server.text({"SET", "app:door", "cli", "NX", "PX", "60000"}), "OK");
  }
  EXPECT_EQ(server.text({"SET", "app:door", "cli", "NX", "PX", "60000"}), "OK");
  const auto tried = redis.try_acquire("app:door");
  EXPECT_EQ(tried.code(), errc::held);
  EXPECT_TRUE(has(tried.failure().detail, "cli")) << tried.failure().detail;
  server.number({"DEL", "app:door"});
}

TEST_F(no_scripts, a_waiter_with_scripts_follows_soon_and_is_not_overtaken) {
  lease held = redis.acquire("app:door");
  std::atomic<bool> followed{false};
  std::uint64_t fence = 0;
  std::jthread waiter{[&] {
    const lease mine = scripted.acquire("app:door");
    fence = mine.fence();
    followed = true;
    std::this_thread::sleep_for(100ms);
  }};
  ASSERT_TRUE(queue_reaches(server, "app:door", 1));
  const auto released = std::chrono::steady_clock::now();
  EXPECT_EQ(held.release(), release_outcome::released);
  // The lock is free now, but not for us: somebody is first.
  const auto tried = other.try_acquire("app:door");
  EXPECT_EQ(tried.code(), errc::held);
  ASSERT_TRUE(eventually(patience, [&] { return followed.load(); }));
  EXPECT_LE(since(released), 900ms) << "looks every 25 to 75 ms, not at its heartbeat";
  waiter.join();
  EXPECT_GT(fence, held.fence());
  EXPECT_GT(redis.acquire("app:door").fence(), fence);
}

TEST_F(no_scripts, an_answer_that_was_lost_draws_below_those_who_wait) {
  const auto got = redis.try_acquire("app:door", "me", 20s);
  ASSERT_TRUE(got);
  std::uint64_t fence = 0;
  std::jthread waiter{[&] { fence = scripted.acquire("app:door").fence(); }};
  ASSERT_TRUE(queue_reaches(server, "app:door", 1));
  const auto again = redis.try_acquire("app:door", "me", 20s);  // as after a lost answer
  ASSERT_TRUE(again);
  EXPECT_GE(again->fence, got->fence);
  ASSERT_TRUE(redis.release("app:door", "me"));
  waiter.join();
  EXPECT_GT(fence, again->fence);
}

// Some threads use scripts, the others do not.
struct both_kinds {
  explicit both_kinds(const redis_server& server) : without{unscripted_at(server.url())}, with{at(server)} {}

  lease operator()(int thread) {
    return (thread == 0 ? with : without).acquire("app:door", {.queue = false, .retry = {1ms, 20ms}});
  }
  client without;
  client with;
};

TEST(no_scripts_exclusion, processes_and_threads_bump_a_number_and_lose_nothing) {
  redis_server server{redis_options{.users = {user_without_scripts()}}};
  expect_nothing_lost<both_kinds>(server, {.processes = 4, .threads = 4, .rounds = 15});
  EXPECT_EQ(server.number({"EXISTS", "app:door", waiters_of("app:door")}), 0);
}

TEST_F(no_scripts, a_killed_holder_is_followed_at_its_expiry) {
  process holder{{helper("locker"), server.url() + "?scripts=off", "app:door", "1000", "0"}};
  ASSERT_EQ(holder.read_line(patience), "asking");
  const auto got = holder.read_line(patience);
  ASSERT_TRUE(got && got->starts_with("got "));
  holder.kill();
  const lease next = redis.acquire("app:door", {.wait = 10s, .retry = {5ms, 20ms}});
  EXPECT_GT(next.fence(), std::stoull(got->substr(4)));
}

// Owners on three clients, one of them with scripts, take, keep, extend and give back a few locks; accidents happen to the
// keys. Who has what is known at every step.
TEST(no_scripts_model, random_steps_agree_with_the_model) {
  constexpr int steps = 10'000;
  constexpr int names = 3;
  const unsigned seed = make_seed();
  std::mt19937 random{seed};
  const auto draw = [&](int below) { return std::uniform_int_distribution<int>{0, below - 1}(random); };
  redis_server server{redis_options{.users = {user_without_scripts()}}};
  client clients[]{client{unscripted_at(server.url())}, client{unscripted_at(server.url())}, client{at(server)}};
  std::map<std::string, std::string> holder;  // key -> owner
  std::map<std::string, std::uint64_t> fences;
  int done = 0;
  for (; done < steps && !testing::Test::HasFailure(); ++done) {
    client& redis = clients[draw(3)];
    const std::string key = "app:" + std::to_string(draw(names));
    const std::string owner = "owner-" + std::to_string(draw(4));
    const auto found = holder.find(key);
    const bool mine = found != holder.end() && found->second == owner;
    switch (draw(10)) {
      case 0:  // an accident
        server.number({"DEL", key});
        holder.erase(key);
        break;
      case 1:  // a foreigner
        if (server.text({"SET", key, "foreign", "NX", "PX", "60000"}) == "OK") {
          EXPECT_EQ(found, holder.end());
          holder[key] = "foreign";
        } else {
          EXPECT_NE(found, holder.end());
        }
        break;
      case 2:
      case 3:
      case 4:
      case 5: {
        const auto got = redis.try_acquire(key, owner, 60s);
        EXPECT_EQ(got.has_value(), mine || found == holder.end());
        if (!got) {
          EXPECT_EQ(got.code(), errc::held);
          break;
        }
        EXPECT_GT(got->fence, fences[key]);
        fences[key] = got->fence;
        holder[key] = owner;
        break;
      }
      case 6: {
        const auto kept = redis.extend(key, owner, 90s);
        EXPECT_EQ(kept.has_value(), mine);
        if (mine) {
          EXPECT_GT(server.number({"PTTL", key}), 60'000);
        }
        break;
      }
      default: {
        const auto released = redis.release(key, owner);
        EXPECT_EQ(released.has_value(), mine);
        if (mine) holder.erase(key);
        break;
      }
    }
    EXPECT_EQ(server.command({"GET", key}).text, holder.contains(key) ? holder[key] : "") << "step " << done;
  }
  EXPECT_EQ(done, steps);
  EXPECT_GT(server.command_calls("exec"), steps / 10);
  for (const auto& [key, owner] : holder) EXPECT_TRUE(clients[0].release(key, owner));
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  for (const auto& each : server.keys()) EXPECT_TRUE(each.starts_with("holdfast:fence:")) << each;
}

}  // namespace
}  // namespace holdfast::test
