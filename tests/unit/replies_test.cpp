// What the scripts answer, and that any other shape is `protocol`: a server that answers what the script cannot return
// is not one to trust with a lock.
#include "lock/replies.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;

value number(std::int64_t n) {
  value made;
  made.type = kind::integer;
  made.integer = n;
  return made;
}
value text(std::string content, kind type = kind::bulk) {
  value made;
  made.type = type;
  made.text = std::move(content);
  return made;
}
value list(std::vector<value> items, kind type = kind::array) {
  value made;
  made.type = type;
  made.items = std::move(items);
  return made;
}
value of(kind type) {
  value made;
  made.type = type;
  return made;
}

TEST(Replies, AcquireGranted) {
  const auto read = read_acquire(text("granted 42"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->what, acquire_reply::kind::granted);
  EXPECT_EQ(read->fence, 42U);
  EXPECT_EQ(read_acquire(text("granted 0"))->fence, 0U) << "without fencing";
}

TEST(Replies, AcquireQueued) {
  const auto read = read_acquire(text("queued 77 3 1500 who is it"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->what, acquire_reply::kind::queued);
  EXPECT_EQ(read->ticket, 77U);
  EXPECT_EQ(read->rank, 3);
  EXPECT_EQ(read->holds, std::chrono::milliseconds{1500});
  EXPECT_EQ(read->holder, "who is it");
}

TEST(Replies, AcquireHeld) {
  const auto read = read_acquire(text("held -1 who"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->what, acquire_reply::kind::held);
  EXPECT_EQ(read->holds.count(), -1);
  EXPECT_EQ(read->holder, "who");
  EXPECT_EQ(read_acquire(text("held 5 "))->holder, "") << "a foreign holder may have put an empty value there";
}

TEST(Replies, OddShapesOfAcquireAreProtocol) {
  const std::vector<value> odd = {
      value{},
      number(1),
      text("granted"),
      text("granted "),
      text("granted -1"),
      text("granted 42 "),
      text("granted 99999999999999999999"),
      text("OK", kind::simple),
      text("held 5 who", kind::simple),
      text(""),
      text("1"),
      text("held"),
      text("held "),
      text("held 5"),
      text("held x who"),
      text("held  5 who"),
      text("held 99999999999999999999 who"),
      text("Held 5 who"),
      text("queued 77 3 1500"),
      text("queued 77 3 x who"),
      text("queued 77 -1 1500 who"),
      text("queued -77 3 1500 who"),
      text("queued 77 who"),
      text("queued 1.5 3 1500 who"),
      list({}),
      list({number(1), number(42)}),
      list({number(1), number(42)}, kind::push),
      list({number(1), number(42)}, kind::map),
      of(kind::boolean),
      of(kind::real),
  };
  for (std::size_t i = 0; i < odd.size(); ++i) {
    const auto read = read_acquire(odd[i]);
    ASSERT_FALSE(read) << i;
    EXPECT_EQ(read.code(), errc::protocol) << i;
  }
}

TEST(Replies, Renew) {
  EXPECT_EQ(*read_renew(text("kept")), renew_reply::kept);
  EXPECT_EQ(*read_renew(text("gone")), renew_reply::gone);
  EXPECT_EQ(*read_renew(text("taken")), renew_reply::taken);
  for (const value& odd :
       {value{}, number(1), list({number(1)}), text("1"), text("kept "), text("kept", kind::simple)}) {
    const auto read = read_renew(odd);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.code(), errc::protocol);
  }
}

TEST(Replies, Release) {
  EXPECT_EQ(*read_release(number(0)), release_reply::not_mine);
  EXPECT_EQ(*read_release(number(1)), release_reply::released);
  EXPECT_EQ(*read_release(number(2)), release_reply::handed_over);
  for (const value& odd : {value{}, number(3), number(-1), list({number(1)}), text("1")}) {
    const auto read = read_release(odd);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.code(), errc::protocol);
  }
}

TEST(Replies, ErrorRepliesHaveTheServersMeaning) {
  const value oom = text("OOM command not allowed", kind::error);
  EXPECT_EQ(read_acquire(oom).code(), errc::out_of_memory);
  EXPECT_EQ(read_renew(text("READONLY no", kind::error)).code(), errc::read_only);
  EXPECT_EQ(read_release(text("NOAUTH no", kind::error)).code(), errc::refused);
}

TEST(Replies, AGrantMessageNamesTheWaiterAndItsTicket) {
  const auto grant = read_grant("17 1700000000000099");
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->waiter, 17U);
  EXPECT_EQ(grant->ticket, 1'700'000'000'000'099U);
}

TEST(Replies, OtherMessagesInTheInboxAreNoGrants) {
  for (const char* odd : {"", "hello", "1", "1 ", "1 x", "x 1", " 1 2", "1  2", "1 2 ", "1 2 3", "-1 2", "1 -2", "1 2x",
                          "99999999999999999999 2", "1 99999999999999999999"}) {
    const auto grant = read_grant(odd);
    ASSERT_FALSE(grant) << odd;
    EXPECT_EQ(grant.code(), errc::protocol) << odd;
  }
}

}  // namespace
}  // namespace holdfast::lock
