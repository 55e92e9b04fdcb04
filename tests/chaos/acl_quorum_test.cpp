// What a user needs on every node of a quorum (docs/operate.md), found by having it and by not having it.
#include <future>
#include <optional>

#include "chaos/acl_ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

quorum_shape with(std::vector<std::string> rights, const std::vector<std::string>& more) {
  rights.insert(rights.end(), quorum_rights.begin(), quorum_rights.end());
  rights.insert(rights.end(), more.begin(), more.end());
  return {.nodes = 3, .each = {.users = {user_with(rights)}}};
}

settings as_app(const quorum_group& nodes) {
  settings made = nodes.where();
  made.user = "app";
  made.password = "app-secret";
  return made;
}

TEST(QuorumAcl, SharedMutexNeedsWhatItNeedsOnOneRedis) {
  quorum_group nodes{with(all_rights(), {"+zrangebyscore"})};
  client one{as_app(nodes)};
  client two{as_app(nodes)};
  shared_mutex door{one, "app:lock", {.ttl = 600ms}};
  const auto locked = door.lock_shared(std::nothrow);
  ASSERT_TRUE(locked) << locked.failure().detail;
  auto next = std::async(std::launch::async, [&] {
    shared_mutex mine{two, "app:lock", {.ttl = 600ms}};
    const auto got = mine.lock(std::nothrow);
    return std::pair{got, mine.release()};
  });
  std::this_thread::sleep_for(1s);  // renewed meanwhile
  for (const auto& done : {door.upgrade(std::nothrow), door.downgrade(std::nothrow)}) {
    EXPECT_TRUE(done) << done.failure().detail;
  }
  EXPECT_EQ(door.release(), release_outcome::released);
  const auto [got, released] = next.get();
  EXPECT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(released, release_outcome::released);
  EXPECT_TRUE(eventually(10s, [&] { return nodes.left_behind().empty(); }));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(nodes.node(i).command({"ACL", "LOG"}).items.empty()) << i;
  }
}

TEST(QuorumAcl, WithoutItsRightItIsRefused) {
  quorum_group nodes{with(all_rights(), {})};
  client redis{as_app(nodes)};
  lease first = acquire_shared(redis, "app:lock", {.ttl = 600ms, .renew = false});
  EXPECT_EQ(try_acquire_shared(redis, "app:lock", {.ttl = 600ms}).code(), errc::refused);
}

const std::vector<std::string> for_permits{"~{app:*}:capacity", "+hgetall"};

TEST(QuorumAcl, SemaphoreNeedsToGoOverItsHolders) {
  quorum_group nodes{with(all_rights(), for_permits)};
  client one{as_app(nodes)};
  client two{as_app(nodes)};
  semaphore pool{one, "app:pool", 2, {.ttl = 600ms}};
  std::optional<lease> held = pool.take(2);
  auto next = std::async(std::launch::async, [&] {
    semaphore same{two, "app:pool", 2, {.ttl = 600ms}};
    const auto got = same.acquire(std::nothrow);
    if (!got) return got;
    return same.release(std::nothrow);
  });
  std::this_thread::sleep_for(1s);  // renewed meanwhile
  EXPECT_EQ(held->state(), lease_state::VALID);
  const auto set = pool.set_capacity(std::nothrow, 3);
  EXPECT_TRUE(set) << set.failure().detail;
  const auto got = next.get();
  EXPECT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(held->release(), release_outcome::released);
  EXPECT_TRUE(eventually(10s, [&] { return nodes.holding("app:pool") == 0; }));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(nodes.node(i).command({"ACL", "LOG"}).items.empty()) << i;
  }
}

TEST(QuorumAcl, WithoutThatSemaphoresAreRefused) {
  for (const std::string& each : for_permits) {
    auto fewer = for_permits;
    std::erase(fewer, each);
    quorum_group nodes{with(all_rights(), fewer)};
    client redis{as_app(nodes)};
    semaphore pool{redis, "app:pool", 2, {.ttl = 600ms, .renew = false}};
    EXPECT_EQ(pool.try_take().code(), errc::refused) << each;
  }
}

}  // namespace
}  // namespace holdfast::test
