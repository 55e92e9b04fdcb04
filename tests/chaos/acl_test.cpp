// The least rights that an ACL user needs, found by taking each away.
//
// `needed_rights` is the list that docs/operate.md gives to operators. With it everything works; without any one of it some call
// is `refused` and the text names what is missing, as far as the server tells; what is in `optional_rights` only
// makes things better, and everything works without.
#include <algorithm>
#include <future>
#include <optional>
#include <thread>

#include "chaos/bystander.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// To look at locks and to break them, beyond all of the above.
const std::vector<std::string> looking{"+type", "+strlen", "+scan"};
// … those of Redisson too.
const std::vector<std::string> looking_at_redisson{
    "~redisson_lock_queue:*", "&redisson_*", "+hlen", "+hgetall", "+llen", "+lrange", "+lindex"};

// Beyond the needed ones: for a cache, and for an elector and whoever watches it.
const std::string caching = "~{app:*}:value";
const std::string electing = "~{app:*}:leader";

std::string user_with(std::vector<std::string> rights) {
  std::string line = "user app on >app-secret resetkeys resetchannels -@all";
  for (const auto& each : rights) line += " " + each;
  return line;
}

std::vector<std::string> all_rights() {
  auto all = needed_rights;
  all.insert(all.end(), optional_rights.begin(), optional_rights.end());
  return all;
}

std::vector<std::string> all_but(const std::string& missing) {
  auto rights = all_rights();
  std::erase(rights, missing);
  return rights;
}

// Whether the text stands anywhere in a nested reply.
bool names(const reply& where, const std::string& text) {
  return where.text == text ||
         std::any_of(where.items.begin(), where.items.end(), [&](const reply& each) { return names(each, text); });
}

class acl : public testing::TestWithParam<std::string> {
 protected:
  void start(const std::vector<std::string>& rights, int protocol = 0) {
    server_.emplace(redis_options{.users = {user_with(rights)}});
    auto where = quick(server_->url());
    where.user = "app";
    where.password = "app-secret";
    where.protocol = protocol;
    where.command_timeout = 1s;
    first_.emplace(where);
    second_.emplace(where);
  }

  // Everything a lock does, once: take, extend, be renewed, wait in vain, wait for longer than a second, hand over, give
  // back. Returns the first refusal.
  std::optional<failure> do_everything() {
    auto held = first_->try_acquire("app:lock", {.ttl = 5s});
    if (!held) return held.failure();
    if (const auto extended = held->extend(std::nothrow, 5s); !extended) return extended.failure();
    const auto in_vain = second_->acquire(std::nothrow, "app:lock", {.ttl = 600ms, .wait = 100ms});
    if (in_vain.code() != errc::timed_out) return in_vain.failure();
    // What a waiter does whose grant was lost on the way: it finds itself the owner, and leaves the queue.
    const options same_owner{.ttl = 5s, .wait = 1s, .owner = std::string{held->owner()}};
    const auto again = first_->acquire(std::nothrow, "app:lock", same_owner);
    if (!again) return again.failure();
    std::optional<result<lease>> next;
    std::jthread waiter{[&] { next.emplace(second_->acquire(std::nothrow, "app:lock", {.ttl = 900ms, .wait = 10s})); }};
    std::this_thread::sleep_for(1600ms);  // old enough for its heartbeats to be written down
    EXPECT_EQ(held->state(), lease_state::VALID);
    const auto released = first_->release("app:lock", held->owner());
    if (!released) {
      EXPECT_EQ(server_->text({"DEL", "app:lock"}), "1");  // so that the waiter need not wait for the expiry
      held->release();
    }
    waiter.join();
    if (!released) return released.failure();
    if (!*next) return next->failure();
    EXPECT_GT((*next)->fence(), held->fence());
    if (const auto last = second_->release("app:lock", (*next)->owner()); !last) return last.failure();
    expect_nothing_left(*server_, 3s);
    return std::nullopt;
  }

  std::optional<redis_server> server_;
  std::optional<client> first_;
  std::optional<client> second_;
};

TEST_F(acl, needed_and_optional_rights_hand_over_by_message) {
  for (const int protocol : {3, 2}) {
    start(all_rights(), protocol);
    const auto refused = do_everything();
    EXPECT_FALSE(refused) << refused->detail;
    EXPECT_EQ(second_->stats().woken_by_push, 1u);
  }
}

TEST_F(acl, needed_rights_alone_are_enough) {
  start(needed_rights);
  const auto refused = do_everything();
  EXPECT_FALSE(refused) << refused->detail;
}

TEST_F(acl, recursive_mutex_needs_a_little_more) {
  const std::vector<std::string> more{"+hgetall"};
  const std::vector<std::string> for_java{"&redisson_*", "+hincrby", "+pubsub|numsub"};
  for (const bool java : {true, false}) {
    auto rights = all_rights();
    rights.insert(rights.end(), more.begin(), more.end());
    if (java) rights.insert(rights.end(), for_java.begin(), for_java.end());
    start(rights);
    recursive_mutex lock{*first_, "app:deep", {.ttl = 600ms}};
    const auto locked = lock.lock(std::nothrow);
    ASSERT_TRUE(locked) << locked.failure().detail;
    auto next = std::async(std::launch::async, [&] {
      recursive_mutex mine{*second_, "app:deep"};
      const auto got = mine.lock(std::nothrow);
      return std::pair{got, mine.release()};
    });
    std::this_thread::sleep_for(1s);  // renewed meanwhile, and a waiter that is not young any more
    EXPECT_EQ(lock.release(), release_outcome::released);
    const auto [got, released] = next.get();
    EXPECT_TRUE(got) << got.failure().detail;
    EXPECT_EQ(released, release_outcome::released);
    EXPECT_EQ(server_->command({"ACL", "LOG"}).items.empty(), java) << "nothing is refused but what is for Java";
  }
  start(all_rights());
  EXPECT_EQ(recursive_mutex(*first_, "app:deep").try_lock(std::nothrow).code(), errc::refused);
}

TEST_F(acl, redisson_shared_mutex_needs_a_little_more) {
  const std::vector<std::string> more{"+hgetall", "~{app:*}:*:rwlock_timeout:*"};
  const std::vector<std::string> for_java{"&redisson_*", "+hincrby", "+pubsub|numsub"};
  for (const bool java : {true, false}) {
    auto rights = all_rights();
    rights.insert(rights.end(), more.begin(), more.end());
    if (java) rights.insert(rights.end(), for_java.begin(), for_java.end());
    start(rights);
    redisson_shared_mutex lock{*first_, "app:rw", {.ttl = 600ms}};
    const auto locked = lock.lock_shared(std::nothrow);
    ASSERT_TRUE(locked) << locked.failure().detail;
    auto next = std::async(std::launch::async, [&] {
      redisson_shared_mutex mine{*second_, "app:rw"};
      const auto got = mine.lock(std::nothrow);
      const auto down = mine.downgrade(std::nothrow);
      EXPECT_TRUE(down) << down.failure().detail;
      return std::pair{got, mine.release()};
    });
    std::this_thread::sleep_for(1s);  // renewed meanwhile, and a waiter that is not young any more
    EXPECT_EQ(lock.release(), release_outcome::released);
    const auto [got, released] = next.get();
    EXPECT_TRUE(got) << got.failure().detail;
    EXPECT_EQ(released, release_outcome::released);
    EXPECT_EQ(server_->command({"ACL", "LOG"}).items.empty(), java) << "nothing is refused but what is for Java";
  }
  start(all_rights());
  EXPECT_EQ(redisson_shared_mutex(*first_, "app:rw").try_lock_shared_for(std::nothrow, {}).code(), errc::refused);
}

TEST_F(acl, needed_rights_are_enough_for_latch_and_barrier) {
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

// Everything that is done from outside, once; returns the first refusal.
std::optional<failure> look_and_break(redis_server& server, client& redis) {
  server.command({"SET", "app:lock", "somebody", "PX", "60000"});
  const auto seen = inspect(redis, "app:lock", {.patience = 50ms});
  if (!seen) return seen.failure();
  EXPECT_EQ(seen->owner, "somebody");
  const auto found = list(redis, "app:*", {.patience = 50ms});
  if (!found) return found.failure();
  EXPECT_EQ(found->locks.size(), 1U);
  const auto broken = break_lock(redis, "app:lock", "somebody");
  if (!broken) return broken.failure();
  EXPECT_EQ(server.number({"EXISTS", "app:lock"}), 0);
  return std::nullopt;
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

TEST_F(acl, several_locks_at_once_need_no_more) {
  start(needed_rights);
  const auto held = try_acquire_all(*first_, {"app:a", "app:b"});
  EXPECT_TRUE(held) << held.failure().detail;
}

TEST_F(acl, a_cache_and_an_elector_need_one_more_key_each) {
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

TEST_F(acl, looking_needs_a_little_more) {
  auto rights = all_rights();
  rights.insert(rights.end(), looking.begin(), looking.end());
  start(rights);
  const auto refused = look_and_break(*server_, *first_);
  EXPECT_FALSE(refused) << refused->detail;
  for (const auto& each : looking) {
    auto fewer = rights;
    std::erase(fewer, each);
    start(fewer);
    const auto missing = look_and_break(*server_, *first_);
    ASSERT_TRUE(missing) << "works without " << each;
    EXPECT_EQ(to_string(missing->code), to_string(errc::refused)) << missing->detail;
  }
}

TEST_F(acl, looking_at_redissons_locks_needs_more) {
  auto rights = all_rights();
  rights.insert(rights.end(), looking.begin(), looking.end());
  rights.insert(rights.end(), looking_at_redisson.begin(), looking_at_redisson.end());
  start(rights);
  const std::string owner = "285475da-9152-4c83-822a-67ee2f116a79:57";
  server_->command({"HSET", "app:java", owner, "1"});
  server_->command({"RPUSH", "redisson_lock_queue:{app:java}", owner + "8"});
  const auto seen = inspect(*first_, "app:java");
  ASSERT_TRUE(seen) << seen.failure().detail;
  EXPECT_EQ(seen->layout, lock_layout::redisson_fair);
  const auto broken = break_lock(*first_, "app:java", owner);
  EXPECT_TRUE(broken) << broken.failure().detail;
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

TEST_F(acl, shares_need_a_little_more) {
  const std::vector<std::string> for_shares{"~{app:*}:capacity", "+zrangebyscore"};
  auto rights = all_rights();
  rights.insert(rights.end(), for_shares.begin(), for_shares.end());
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

class acl_needed : public acl {};
TEST_P(acl_needed, is_refused_and_named_when_missing) {
  start(all_but(GetParam()));
  const auto refused = do_everything();
  ASSERT_TRUE(refused) << "works without " << GetParam();
  EXPECT_EQ(to_string(refused->code), to_string(errc::refused)) << refused->detail;
  // The server names a command that was sent; for those inside a script the text points to where it is named.
  const bool sent = GetParam().starts_with("+eval");
  const std::string word = sent ? "'" + GetParam().substr(1) + "'" : GetParam()[0] == '~' ? "keys" : "ACL LOG";
  EXPECT_NE(refused->detail.find(word), std::string::npos) << refused->detail;
  EXPECT_NE(refused->detail.find("docs/operate.md"), std::string::npos) << refused->detail;
  if (GetParam()[0] == '+') {
    EXPECT_TRUE(names(server_->command({"ACL", "LOG"}), GetParam().substr(1)));
  }
}

class acl_optional : public acl {};
TEST_P(acl_optional, can_be_missing) {
  start(all_but(GetParam()));
  const auto refused = do_everything();
  EXPECT_FALSE(refused) << refused->detail;
}

// A right as a test's name: letters, digits and underscores.
std::string name_of(const testing::TestParamInfo<std::string>& shown) {
  std::string name;
  for (const char c : shown.param) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(, acl_needed, testing::ValuesIn(needed_rights), name_of);
INSTANTIATE_TEST_SUITE_P(, acl_optional, testing::ValuesIn(optional_rights), name_of);

}  // namespace
}  // namespace holdfast::test
