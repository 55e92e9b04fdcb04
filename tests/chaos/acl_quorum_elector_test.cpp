// Which rights an elector needs on the nodes of a quorum: those of one Redis, the record's key, and the quorum's own.
#include <future>

#include "chaos/acl_ground.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

settings as_user(const quorum_group& nodes) {
  settings where = nodes.where();
  where.user = "app";
  where.password = "app-secret";
  return where;
}

TEST(acl_quorum_elector, needs_the_rights_of_a_quorum_and_the_record) {
  auto rights = all_rights_and(quorum_rights);
  {
    quorum_group nodes{{.nodes = 3, .each = {.users = {user_with(rights)}}}};
    client redis{as_user(nodes)};
    elector seat{redis, "app:seat", {.ttl = 1s}};
    EXPECT_EQ(seat.campaign(std::nothrow, {}, 0ms).code(), errc::refused) << "the record may not be written";
    EXPECT_EQ(leader_of(redis, "app:seat").code(), errc::refused);
  }
  rights.emplace_back("~{app:*}:leader");
  quorum_group nodes{{.nodes = 3, .each = {.users = {user_with(rights)}}}};
  client first{as_user(nodes)};
  client second{as_user(nodes)};
  elector one{first, "app:seat", {.id = "one", .ttl = 600ms}};
  elector two{second, "app:seat", {.id = "two", .ttl = 600ms}};
  auto held = one.campaign(std::nothrow);
  ASSERT_TRUE(held) << held.failure().detail;
  auto next = std::async(std::launch::async, [&] { return two.campaign(std::nothrow); });
  std::this_thread::sleep_for(1s);  // renewed meanwhile
  EXPECT_EQ(leader_of(second, "app:seat").value()->id, "one");
  EXPECT_EQ(held->release(), release_outcome::released);
  const auto got = next.get();
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(leader_of(first, "app:seat").value()->id, "two");
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_TRUE(nodes.node(i).command({"ACL", "LOG"}).items.empty()) << i;
}

}  // namespace
}  // namespace holdfast::test
