// What is refused before anything is sent: options out of range, and names that are no names.
#include <gtest/gtest.h>

#include <string>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

using ms = std::chrono::milliseconds;

struct refused_input : testing::Test {
  redis_server server;
  client redis{at(server)};

  // Both forms refuse, and the text names the culprit.
  void refused(const options& how, const std::string& word) {
    const auto got = redis.acquire(std::nothrow, "door", how);
    ASSERT_FALSE(got) << word;
    EXPECT_EQ(got.code(), errc::bad_option) << word;
    EXPECT_EQ(got.failure().sent, delivery::not_sent);
    EXPECT_TRUE(has(got.failure().detail, word)) << got.failure().detail;
    options once = how;
    if (word != "wait") once.wait.reset();
    EXPECT_EQ(redis.try_acquire("door", once).code(), errc::bad_option) << word;
  }
  // Nothing was sent so far; and the count is one that would have shown it.
  void TearDown() override {
    EXPECT_EQ(scripts_run(server) - fine_, 0);
    EXPECT_TRUE(redis.try_acquire("control"));
    EXPECT_GT(scripts_run(server) - fine_, 0);
  }
  long long fine_ = 0;
};

TEST_F(refused_input, ttl) {
  for (const ms wrong : {0ms, -1ms, 1ms, 99ms, ms::max(), ms::min(), ms{std::chrono::hours{24 * 366}}}) {
    refused({.ttl = wrong}, "ttl");
    EXPECT_EQ(redis.try_acquire("door", "me", wrong).code(), errc::bad_option) << wrong.count();
    EXPECT_EQ(redis.extend("door", "me", wrong).code(), errc::bad_option) << wrong.count();
  }
}

TEST_F(refused_input, wait) {
  for (const ms wrong : {0ms, -1ms, ms::max(), ms::min()}) refused({.wait = wrong}, "wait");
  EXPECT_EQ(redis.try_acquire("door", {.wait = 1s}).code(), errc::bad_option) << "a try does not wait";
}

TEST_F(refused_input, max_hold) {
  for (const ms wrong : {0ms, -1ms, ms::max(), ms::min()}) refused({.max_hold = wrong}, "max_hold");
}

TEST_F(refused_input, stop_margin) {
  for (const ms wrong : {-1ms, 15'000ms, 30'000ms, ms::max(), ms::min()}) {
    refused({.ttl = 30s, .stop_margin = wrong}, "stop_margin");
  }
}

TEST_F(refused_input, retry) {
  refused({.retry = {.first = 0ms, .most = 1s}}, "retry");
  refused({.retry = {.first = -1ms, .most = 1s}}, "retry");
  refused({.retry = {.first = 2s, .most = 1s}}, "retry");
  refused({.retry = {.first = 1ms, .most = ms::max()}}, "retry");
  refused({.retry = {.first = ms::max(), .most = ms::max()}}, "retry");
  refused({.retry = {.first = 0ms, .most = 0ms}}, "retry");
}

TEST_F(refused_input, owner_and_prefix) {
  refused({.owner = std::string(257, 'x')}, "owner");
  refused({.prefix = std::string(513, 'x')}, "prefix");
  EXPECT_EQ(redis.try_acquire("door", "", 1s).code(), errc::bad_option);
  EXPECT_EQ(redis.release("door", "").code(), errc::bad_option);
  EXPECT_EQ(redis.extend("door", std::string(257, 'x'), 1s).code(), errc::bad_option);
}

TEST_F(refused_input, names) {
  for (const std::string& wrong :
       {std::string{}, std::string(513, 'x'), std::string{"a{b"}, std::string{"x}y"}, std::string{"{}a"},
        std::string{"{a{b}}"}, std::string{"{"}, std::string{"}"}, std::string{"}{"}, std::string{"{a}{"}}) {
    const auto got = redis.acquire(std::nothrow, wrong);
    ASSERT_FALSE(got) << wrong;
    EXPECT_EQ(got.code(), errc::bad_name) << wrong;
    EXPECT_FALSE(got.failure().detail.empty());
    EXPECT_EQ(redis.try_acquire(wrong).code(), errc::bad_name) << wrong;
    EXPECT_EQ(redis.try_acquire(wrong, "me", 1s).code(), errc::bad_name) << wrong;
    EXPECT_EQ(redis.release(wrong, "me").code(), errc::bad_name) << wrong;
    EXPECT_EQ(redis.extend(wrong, "me", 1s).code(), errc::bad_name) << wrong;
  }
  EXPECT_EQ(redis.try_acquire("b}", {.prefix = "a"}).code(), errc::bad_name) << "broken together with the prefix";
}

TEST_F(refused_input, not_names_that_only_look_odd) {
  using namespace std::string_literals;
  for (const std::string& fine :
       {"x"s, std::string(512, 'x'), "nul\0inside"s, "\0"s, "line\nbreak\r\n"s, "\xff\xfe\x80"s, " "s, "{tag}x"s,
        "x{tag}"s, "{a}{b}"s, "*3\r\n$3\r\nSET\r\n"s, "%s%n"s}) {
    auto got = redis.acquire(std::nothrow, fine);
    ASSERT_TRUE(got) << fine << ": " << got.failure().detail;
    EXPECT_EQ(got->name(), fine);
    EXPECT_EQ(server.text({"GET", fine}), got->owner());
    EXPECT_EQ(client{at(server)}.try_acquire(fine).code(), errc::held);
    EXPECT_EQ(got->release(), release_outcome::released);
    EXPECT_EQ(server.number({"EXISTS", fine}), 0);
  }
  fine_ = scripts_run(server);
}

TEST_F(refused_input, not_the_bounds_themselves) {
  EXPECT_TRUE(redis.try_acquire("a", {.ttl = 100ms}));
  EXPECT_TRUE(redis.try_acquire("b", {.ttl = std::chrono::hours{24 * 365}}));
  EXPECT_TRUE(redis.acquire(std::nothrow, "c", {.wait = std::chrono::hours{24 * 3650}}));
  EXPECT_TRUE(redis.acquire(std::nothrow, "d", {.ttl = 10s, .stop_margin = 4'999ms}));
  EXPECT_TRUE(redis.acquire(std::nothrow, "e", {.owner = std::string(256, 'x')}));
  fine_ = scripts_run(server);
}

}  // namespace
}  // namespace holdfast::test
