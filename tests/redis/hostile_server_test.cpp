// Servers that do not speak RESP, or speak it and lie: every call ends in `protocol`, at once and in bounded memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "redis/common.hpp"
#include "redis/fake_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::string_literals;

std::size_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string repeated(const std::string& what, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += what;
  return out;
}

// No RESP at all, or RESP that no command can be answered with.
std::vector<std::string> garbage() {
  return {"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
          "\x15\x03\x01\x00\x02\x02\x28 not tls either\r\n",
          std::string(64, '\0') + "\r\n",
          "$99999999999999999999\r\n",
          "$-7\r\n",
          "$9223372036854775807\r\n",
          "$4000000000\r\nxx",
          "*2147483647\r\n",
          "%9223372036854775807\r\n",
          "*-9\r\n",
          ":12x\r\n",
          ":\r\n",
          "#x\r\n",
          ",not-a-number\r\n",
          "$3\r\nabcdef\r\n",
          repeated("*1\r\n", 100'000),
          repeated("|1\r\n+k\r\n+v\r\n", 1000) + repeated(">1\r\n", 100'000)};
}

// Well-formed, and not what the acquire script can answer.
std::vector<std::string> lies() {
  return {"+OK\r\n",
          "_\r\n",
          "$-1\r\n",
          ":1\r\n",
          "*0\r\n",
          "*2\r\n:1\r\n:5\r\n",
          "+granted 5\r\n",
          "$7\r\ngranted\r\n",
          "$10\r\ngranted -5\r\n",
          "$4\r\nkept\r\n",
          "$6\r\nheld 5\r\n",
          "$14\r\nqueued 1 0 x y\r\n",
          "*2\r\n*1\r\n:1\r\n:1\r\n",
          "%1\r\n:1\r\n:2\r\n",
          "-ERR something that no lock script says\r\n"};
}

void expect_protocol(const std::string& url, const std::string& answer) {
  settings how = at(url);
  how.command_timeout = 3s;
  client redis{how};
  const auto before = resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  const auto tried = redis.try_acquire("door");
  EXPECT_LT(since(start), 2500ms) << "by the answer, not by the time limit: " << answer.substr(0, 40);
  ASSERT_FALSE(tried) << answer.substr(0, 40);
  EXPECT_EQ(tried.code(), errc::protocol) << answer.substr(0, 40) << ": " << tried.failure().detail;
  EXPECT_LT(tried.failure().detail.size(), 600U);
  EXPECT_EQ(redis.acquire(std::nothrow, "door", {.wait = 10s}).code(), errc::protocol) << answer.substr(0, 40);
  EXPECT_LT(resident_bytes(), before + 64U * 1024 * 1024);
}

TEST(hostile_server, garbage_to_the_greeting_is_protocol) {
  for (const auto& answer : garbage()) {
    fake_server liar{[&](const std::string&) { return answer; }};
    expect_protocol(liar.url(), answer);
  }
}

TEST(hostile_server, wrong_types_to_the_greeting_are_protocol) {
  for (const auto& answer : {"+OK\r\n"s, ":1\r\n"s, "*0\r\n"s, "$5\r\nhello\r\n"s, "_\r\n"s, "-WHAT is this\r\n"s}) {
    fake_server liar{[&](const std::string& request) { return has(request, "HELLO") ? answer : "+OK\r\n"s; }};
    expect_protocol(liar.url(), answer);
  }
}

TEST(hostile_server, garbage_to_a_script_is_protocol) {
  for (const auto& answer : garbage()) {
    fake_server liar{[&](const std::string& request) { return fake_server::polite(request).value_or(answer); }};
    expect_protocol(liar.url(), answer);
  }
}

TEST(hostile_server, answers_that_the_script_cannot_give_are_protocol) {
  for (const auto& answer : lies()) {
    fake_server liar{[&](const std::string& request) { return fake_server::polite(request).value_or(answer); }};
    expect_protocol(liar.url(), answer);
  }
}

TEST(hostile_server, an_answer_that_nobody_asked_for_ends_the_connection) {
  fake_server liar{[&](const std::string& request) {
    return fake_server::polite(request).value_or("$9\r\ngranted 5\r\n$9\r\ngranted 6\r\n$9\r\ngranted 7\r\n");
  }};
  client redis{at(liar.url())};
  (void)redis.try_acquire("door");
  EXPECT_TRUE(eventually(patience, [&] { return redis.stats().reconnects >= 1; }));
}

TEST(hostile_server, half_a_reply_and_silence_ends_with_the_time_limit) {
  for (const auto& half : {"*2\r\n:1"s, "$10\r\nabc"s, "$9\r\ngranted 5"s, "%1\r\n"s}) {
    fake_server liar{[&](const std::string& request) { return fake_server::polite(request).value_or(half); }};
    client redis{with_timeout(at(liar.url()), 300ms)};
    ASSERT_TRUE(redis.ping());
    const auto start = std::chrono::steady_clock::now();
    const auto tried = redis.try_acquire("door");
    EXPECT_LE(since(start), 500ms);
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.code(), errc::protocol) << tried.failure().detail;
    EXPECT_EQ(tried.failure().sent, delivery::unanswered);
  }
}

TEST(hostile_server, half_a_reply_and_a_close_ends_within_the_wait) {
  fake_server liar{[&](const std::string& request) { return fake_server::polite(request).value_or("*2\r\n:1"); }, true};
  client redis{at(liar.url())};
  const auto start = std::chrono::steady_clock::now();
  const auto tried = redis.acquire(std::nothrow, "door", {.wait = 500ms});
  EXPECT_LE(since(start), 700ms);
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::protocol) << tried.failure().detail;
}

TEST(hostile_server, grants_that_nobody_waits_for_are_ignored) {
  redis_server server;
  client redis{at(server)};
  lease held = redis.acquire("door");
  const auto channels = server.list({"PUBSUB", "CHANNELS", "holdfast:inbox:????????????????"});
  ASSERT_EQ(channels.size(), 1U);
  for (const auto& message : {""s, "x"s, "1"s, "1 2 3"s, "1 2 99 door"s, "-1 -1 -1 "s, std::string(100'000, '9'),
                              "5 5 4 doorsomebody"s, "18446744073709551616 1 4 doorme"s}) {
    EXPECT_EQ(server.number({"PUBLISH", channels[0], message}), 1);
  }
  EXPECT_TRUE(redis.ping());
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_EQ(redis.stats().acquired, 1U);
  EXPECT_EQ(held.release(), release_outcome::released);
}

}  // namespace
}  // namespace holdfast::test
