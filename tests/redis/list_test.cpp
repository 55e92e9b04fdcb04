// All locks of a Redis: by SCAN and never KEYS, bounded, and nothing that is no lock.
#include <gtest/gtest.h>

#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

const std::string uuid = "285475da-9152-4c83-822a-67ee2f116a79";

class listing : public testing::Test {
 protected:
  redis_server server_;
  client redis_{at(server_)};
  client watcher_{at(server_)};

  std::vector<std::string> names(std::string_view pattern = {}, list_options how = {.patience = 0ms}) {
    std::vector<std::string> out;
    const lock_list found = list(watcher_, pattern, how).value();
    for (const auto& each : found.locks) out.push_back(each.name);
    return out;
  }

  void fill(int count, const std::string& what = "order:") {
    auto direct = server_.connect();
    for (int i = 0; i < count; ++i) direct.send({"SET", what + std::to_string(i), "a value"});
    for (int i = 0; i < count; ++i) static_cast<void>(direct.receive());
  }
};

using texts = std::vector<std::string>;

TEST_F(listing, an_empty_redis_has_none) {
  const lock_list found = list(watcher_).value();
  EXPECT_TRUE(found.locks.empty());
  EXPECT_TRUE(found.complete);
}

TEST_F(listing, ours_with_holders_and_waiters_and_without_their_helpers) {
  const lease a = redis_.acquire("a");
  lease b = redis_.acquire("b");
  lease left = redis_.acquire("{tag}:left");
  ASSERT_TRUE(left.leave());
  const std::jthread waiter{
      [&](const std::stop_token& stop) { static_cast<void>(redis_.acquire(std::nothrow, "b", {.stop = stop})); }};
  ASSERT_TRUE(queue_reaches(server_, "b", 1));
  const lock_list found = list(watcher_, {}, {.patience = patience}).value();
  EXPECT_TRUE(found.complete);
  ASSERT_EQ(found.locks.size(), 3U);
  EXPECT_EQ(found.locks[0].name, "a");
  EXPECT_EQ(found.locks[0].fence, a.fence());
  EXPECT_EQ(found.locks[0].contact, contact::answered);
  EXPECT_EQ(found.locks[1].name, "b");
  EXPECT_EQ(found.locks[1].fence, b.fence());
  EXPECT_EQ(found.locks[1].waiting, 1U);
  EXPECT_EQ(found.locks[2].name, "{tag}:left");
  EXPECT_EQ(found.locks[2].contact, contact::left);
  EXPECT_EQ(names("*"), (texts{"a", "b", "{tag}:left"})) << "with a pattern, helpers are not locks either";
}

TEST_F(listing, foreign_strings_only_with_a_pattern_and_an_expiry) {
  const lease ours = redis_.acquire("job:ours");
  server_.command({"SET", "job:foreign", "token", "PX", "60000"});
  server_.command({"SET", "job:forever", "token"});
  server_.command({"HSET", "job:java", uuid + ":57", "1"});
  server_.command({"HSET", "job:hash", "name", "Ada"});
  server_.command({"LPUSH", "job:list", "x"});
  server_.command({"SET", "elsewhere", "token", "PX", "60000"});
  EXPECT_EQ(names(), (texts{"job:java", "job:ours"}));
  EXPECT_EQ(names("job:*"), (texts{"job:foreign", "job:java", "job:ours"}));
}

TEST_F(listing, the_prefix_is_taken_as_it_is_and_left_out) {
  auto how = at(server_);
  how.prefix = "a*[x]:";
  client prefixed{how};
  const lease inside = prefixed.acquire("door");
  const lease outside = redis_.acquire("abx:door");
  const lock_list found = list(prefixed, "do?r", {.patience = 0ms}).value();
  ASSERT_EQ(found.locks.size(), 1U);
  EXPECT_EQ(found.locks[0].name, "door");
  EXPECT_EQ(found.locks[0].key, "a*[x]:door");
}

TEST_F(listing, by_scan_and_never_keys_with_ten_thousand_keys_of_others) {
  fill(10'000);
  const lease held = redis_.acquire("door");
  EXPECT_EQ(names(), (texts{"door"}));
  EXPECT_GE(server_.command_calls("scan"), 10);
  EXPECT_EQ(server_.command_calls("keys"), 0);
}

TEST_F(listing, ends_at_its_limits_and_says_so) {
  fill(10'000);
  const lock_list walked = list(watcher_, {}, {.most_keys = 2000, .patience = 0ms}).value();
  EXPECT_FALSE(walked.complete);
  EXPECT_LE(walked.keys, 3000U);
  EXPECT_LE(server_.command_calls("scan"), 3);

  std::vector<lease> held;
  for (int i = 0; i < 20; ++i) held.push_back(redis_.acquire("lock:" + std::to_string(i)));
  const lock_list few = list(watcher_, "lock:*", {.most_locks = 5, .patience = 0ms}).value();
  EXPECT_EQ(few.locks.size(), 5U);
  EXPECT_FALSE(few.complete);
  const lock_list all = list(watcher_, "lock:*", {.most_locks = 20, .patience = 0ms}).value();
  EXPECT_EQ(all.locks.size(), 20U);
}

TEST_F(listing, a_thousand_locks_are_told_by_their_holder_in_a_few_messages) {
  std::vector<lease> held;
  for (int i = 0; i < 1000; ++i) held.push_back(redis_.acquire("lock:" + std::to_string(i)));
  const auto before = server_.command_calls("publish");
  const lock_list found = list(watcher_, {}, {.patience = patience}).value();
  ASSERT_EQ(found.locks.size(), 1000U);
  for (const lock_info& each : found.locks) ASSERT_EQ(each.contact, contact::answered) << each.name;
  EXPECT_LE(server_.command_calls("publish") - before, 8) << "asked and answered in bundles of 256";
  held.clear();
}

TEST_F(listing, a_holder_that_is_gone_costs_no_patience) {
  const lease held = redis_.acquire("a");
  server_.command({"SET", "gone", "host:12:0123456789abcdef00112233445566ff", "PX", "60000"});
  const lock_list found = list(watcher_, {}, {.patience = patience}).value();
  ASSERT_EQ(found.locks.size(), 2U);
  EXPECT_EQ(found.locks[0].contact, contact::answered);
  EXPECT_EQ(found.locks[1].contact, contact::absent);
}

TEST_F(listing, refuses_an_endless_pattern_and_a_missing_server) {
  EXPECT_EQ(list(watcher_, std::string(2000, '*')).code(), errc::bad_option);
  server_.stop();
  EXPECT_EQ(list(watcher_).code(), errc::unreachable);
}

}  // namespace
}  // namespace holdfast::test
