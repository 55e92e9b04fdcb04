// What the rest of the family needs beyond the rights of a mutex (docs/operate.md), found by having it and by not having it.
#include <future>

#include "chaos/acl_ground.hpp"

namespace holdfast::test {
namespace {

// So that waiters in Java are woken, and get their turns.
const std::vector<std::string> for_java{"&redisson_*", "+hincrby", "+pubsub|numsub"};
// Beyond the needed ones: for a cache, and for an elector and whoever watches it.
const std::string caching = "~{app:*}:value";
const std::string electing = "~{app:*}:leader";

class acl_family : public acl {
 protected:
  // One client holds, is renewed, and hands over to the other: with these rights and those for Java, and without the latter.
  template <class Lock, class Hold, class Follow>
  void expect_enough(const std::vector<std::string>& more, Hold hold, Follow follow) {
    for (const bool java : {true, false}) {
      auto rights = all_rights_and(more);
      if (java) rights.insert(rights.end(), for_java.begin(), for_java.end());
      start(rights);
      Lock lock{*first_, "app:lock", {.ttl = 600ms}};
      const auto locked = hold(lock);
      ASSERT_TRUE(locked) << locked.failure().detail;
      auto next = std::async(std::launch::async, [&] {
        Lock mine{*second_, "app:lock"};
        const auto got = follow(mine);
        return std::pair{got, mine.release()};
      });
      std::this_thread::sleep_for(1s);  // renewed meanwhile, and a waiter that is not young any more
      EXPECT_EQ(lock.release(), release_outcome::released);
      const auto [got, released] = next.get();
      EXPECT_TRUE(got) << got.failure().detail;
      EXPECT_EQ(released, release_outcome::released);
      EXPECT_EQ(server_->command({"ACL", "LOG"}).items.empty(), java) << "nothing is refused but what is for Java";
    }
  }
};

TEST_F(acl_family, recursive_mutex_needs_a_little_more) {
  const auto lock = [](recursive_mutex& deep) { return deep.lock(std::nothrow); };
  expect_enough<recursive_mutex>({"+hgetall"}, lock, lock);
  start(all_rights());
  EXPECT_EQ(recursive_mutex(*first_, "app:deep").try_lock(std::nothrow).code(), errc::refused);
}

TEST_F(acl_family, redisson_shared_mutex_needs_a_little_more) {
  expect_enough<redisson_shared_mutex>(
      {"+hgetall", "~{app:*}:*:rwlock_timeout:*"},
      [](redisson_shared_mutex& door) { return door.lock_shared(std::nothrow); },
      [](redisson_shared_mutex& door) {
        const auto got = door.lock(std::nothrow);
        const auto down = door.downgrade(std::nothrow);
        EXPECT_TRUE(down) << down.failure().detail;
        return got;
      });
  start(all_rights());
  EXPECT_EQ(redisson_shared_mutex(*first_, "app:rw").try_lock_shared_for(std::nothrow, {}).code(), errc::refused);
}

TEST_F(acl_family, needed_rights_are_enough_for_latch_and_barrier) {
  start(needed_rights);
  latch done{*first_, "app:done", 2};
  EXPECT_TRUE(done.count_down(std::nothrow));
  std::jthread last{[&] {
    std::this_thread::sleep_for(200ms);
    EXPECT_TRUE((latch{*second_, "app:done", 2}.count_down(std::nothrow)));
  }};
  const auto waited = done.wait_for(std::nothrow, 10s);
  EXPECT_TRUE(waited) << waited.failure().detail;
  barrier step{*first_, "app:step", 1};
  EXPECT_TRUE(step.arrive_and_wait(std::nothrow));
  EXPECT_TRUE(step.arrive_and_drop(std::nothrow));
}

// One load, kept and read; a value put and erased.
std::optional<failure> use_a_cache(client& redis) {
  cache<int> values{redis, {.prefix = "app:"}};
  const auto loaded = values.get_or_load(std::nothrow, "k", 5s, [] { return 1; });
  if (!loaded) return loaded.failure();
  EXPECT_EQ(values.get("k").value(), std::optional<std::optional<int>>{1});
  values.put("k", 2, 5s);
  values.erase("k");
  return std::nullopt;
}

// One term, seen and ended.
std::optional<failure> hold_an_election(client& redis) {
  elector seat{redis, "app:seat", {.id = "me"}};
  seat.start();
  std::optional<failure> refused;
  const auto led = [&] {
    const auto who = leader_of(redis, "app:seat");
    if (!who) refused = who.failure();
    return !who || *who;
  };
  EXPECT_TRUE(eventually(10s, led));
  return refused;
}

TEST_F(acl_family, several_locks_at_once_need_no_more) {
  start(needed_rights);
  const auto held = try_acquire_all(*first_, {"app:a", "app:b"});
  EXPECT_TRUE(held) << held.failure().detail;
}

TEST_F(acl_family, a_cache_and_an_elector_need_one_more_key_each) {
  for (const bool messages : {true, false}) {
    auto rights = messages ? all_rights() : needed_rights;
    rights.push_back(caching);
    rights.push_back(electing);
    start(rights);
    const auto cached = use_a_cache(*first_);
    EXPECT_FALSE(cached) << cached->detail;
    const auto elected = hold_an_election(*first_);
    EXPECT_FALSE(elected) << elected->detail;
  }
  start(all_rights());
  const auto cached = use_a_cache(*first_);
  ASSERT_TRUE(cached);
  EXPECT_EQ(cached->code, errc::refused);
  const auto elected = hold_an_election(*first_);
  ASSERT_TRUE(elected);
  EXPECT_EQ(elected->code, errc::refused);
}

// Everything that shares do beyond a plain lock, once; returns the first refusal.
std::optional<failure> use_shares(client& redis) {
  semaphore pool{redis, "app:pool", 2};
  auto one = pool.try_take();
  if (!one) return one.failure();
  auto two = pool.try_take();
  if (!two) return two.failure();
  if (const auto set = pool.set_capacity(std::nothrow, 1); !set) return set.failure();
  auto reader = try_acquire_shared(redis, "app:door");
  if (!reader) return reader.failure();
  if (const auto done = upgrade(*reader, {.wait = 5s}); !done) return done.failure();
  if (const auto done = downgrade(*reader); !done) return done.failure();
  return std::nullopt;
}

TEST_F(acl_family, shares_need_a_little_more) {
  const std::vector<std::string> for_shares{"~{app:*}:capacity", "+zrangebyscore"};
  const auto rights = all_rights_and(for_shares);
  start(rights);
  const auto refused = use_shares(*first_);
  EXPECT_FALSE(refused) << refused->detail;
  for (const auto& each : for_shares) {
    auto fewer = rights;
    std::erase(fewer, each);
    start(fewer);
    const auto missing = use_shares(*first_);
    ASSERT_TRUE(missing) << "works without " << each;
    EXPECT_EQ(to_string(missing->code), to_string(errc::refused)) << missing->detail;
  }
}

}  // namespace
}  // namespace holdfast::test
