// The least rights that an ACL user needs, found by taking each away.
//
// `needed_rights` is the list that docs/operate.md gives to operators. With it everything works; without any one of it some call
// is `refused` and the text names what is missing, as far as the server tells; what is in `optional_rights` only
// makes things better, and everything works without.
#include <algorithm>

#include "chaos/acl_ground.hpp"

namespace holdfast::test {
namespace {

// To look at locks and to break them, beyond all of these.
const std::vector<std::string> looking{"+type", "+strlen", "+scan"};
// … those of Redisson too.
const std::vector<std::string> looking_at_redisson{
    "~redisson_lock_queue:*", "&redisson_*", "+hlen", "+hgetall", "+llen", "+lrange", "+lindex"};

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

TEST_F(acl, looking_needs_a_little_more) {
  const auto rights = all_rights_and(looking);
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
  auto rights = all_rights_and(looking);
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
