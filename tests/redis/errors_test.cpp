// One test for each errc that the lock itself or its caller brings about; errors_server_test.cpp has those of the server
// and hostile_server_test.cpp has `protocol`, fork_test.cpp has `forked`, upgrade_scenes_test.cpp has `deadlock`.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stop_token>

#include "redis/common.hpp"
#include "support/loopback.hpp"

namespace holdfast::test {
namespace {

TEST(errors, held_names_the_holder_and_the_time_left) {
  redis_server server;
  client redis{at(server)};
  const lease held = redis.acquire("door", {.owner = "worker-7"});
  const auto tried = redis.try_acquire("door");
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::held);
  EXPECT_TRUE(has(tried.failure().detail, "worker-7")) << tried.failure().detail;
  EXPECT_TRUE(has(tried.failure().detail, " s more")) << tried.failure().detail;
  EXPECT_EQ(redis.stats().of(errc::held), 1U);
  server.text({"SET", "other", "bad\r\nname\x01"});
  const auto strange = redis.try_acquire("other");
  ASSERT_FALSE(strange);
  EXPECT_TRUE(has(strange.failure().detail, "without expiry")) << strange.failure().detail;
  EXPECT_EQ(strange.failure().detail.find_first_of("\r\n\x01"), std::string::npos) << "no control characters";
}

TEST(errors, timed_out_names_the_holder) {
  redis_server server;
  client redis{at(server)};
  const lease held = redis.acquire("door", {.owner = "worker-7"});
  try {
    (void)redis.acquire("door", {.wait = 100ms});
    FAIL() << "two holders";
  } catch (const error& problem) {
    EXPECT_EQ(problem.kind(), errc::timed_out);
    EXPECT_EQ(problem.code(), make_error_code(errc::timed_out));
    EXPECT_EQ(problem.code().category(), category());
    EXPECT_TRUE(has(problem.what(), "worker-7")) << problem.what();
  }
  EXPECT_EQ(redis.stats().timeouts, 1U);
}

TEST(errors, cancelled_by_the_stop_token) {
  redis_server server;
  client redis{at(server)};
  const lease held = redis.acquire("door");
  std::stop_source stop;
  auto ended = std::async(std::launch::async,
                          [&] { return redis.acquire(std::nothrow, "door", {.stop = stop.get_token()}).failure(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  stop.request_stop();
  ASSERT_EQ(ended.wait_for(patience), std::future_status::ready);
  const failure why = ended.get();
  EXPECT_EQ(why.code, errc::cancelled);
  EXPECT_TRUE(has(why.detail, "stop_token")) << why.detail;
  EXPECT_EQ(redis.stats().cancelled, 1U);
}

TEST(errors, cancelled_by_the_clients_end) {
  redis_server server;
  client holder{at(server)};
  const lease held = holder.acquire("door");
  auto redis = std::make_unique<client>(at(server));
  std::vector<std::future<failure>> ended;
  for (int i = 0; i < 3; ++i) {
    ended.push_back(std::async(std::launch::async, [&] { return redis->acquire(std::nothrow, "door").failure(); }));
  }
  ASSERT_TRUE(queue_reaches(server, "door", 3));
  redis.reset();
  for (auto& each : ended) {
    ASSERT_EQ(each.wait_for(patience), std::future_status::ready);
    const failure why = each.get();
    EXPECT_EQ(why.code, errc::cancelled);
    EXPECT_TRUE(has(why.detail, "client was closed")) << why.detail;
  }
  EXPECT_TRUE(queue_reaches(server, "door", 0)) << "the waiters took themselves off the queue";
}

TEST(errors, lost_names_the_lock_and_the_cause) {
  redis_server server;
  client redis{at(server)};
  lease held = redis.acquire("door");
  server.number({"DEL", "door"});
  const auto extended = held.extend(std::nothrow, 10s);
  ASSERT_FALSE(extended);
  EXPECT_EQ(extended.code(), errc::lost);
  EXPECT_TRUE(has(extended.failure().detail, "door") && has(extended.failure().detail, "gone"))
      << extended.failure().detail;
}

TEST(errors, not_owner_names_the_key) {
  redis_server server;
  client redis{at(server)};
  const auto nobody = redis.release("door", "me");
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.code(), errc::not_owner);
  EXPECT_TRUE(has(nobody.failure().detail, "door")) << nobody.failure().detail;
}

TEST(errors, unreachable_when_nobody_listens) {
  const unique_fd taken = bind_loopback(0);  // bound and not listening: every connect is refused
  settings how = at("redis://:geheim@127.0.0.1:" + std::to_string(local_port(taken.get())));
  how.connect_timeout = 300ms;
  client redis{how};
  const auto start = std::chrono::steady_clock::now();
  const auto waited = redis.acquire(std::nothrow, "door");
  const auto took = since(start);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.code(), errc::unreachable);
  EXPECT_EQ(waited.failure().sent, delivery::not_sent);
  EXPECT_TRUE(has(waited.failure().detail, std::to_string(local_port(taken.get())))) << waited.failure().detail;
  EXPECT_FALSE(has(waited.failure().detail, "geheim"));
  EXPECT_GE(took, 290ms) << "it keeps trying for connect_timeout";
  EXPECT_LE(took, 1000ms);
  EXPECT_EQ(redis.try_acquire("door").code(), errc::unreachable);
  EXPECT_EQ(redis.ping().code(), errc::unreachable);
  EXPECT_EQ(redis.release("door", "me").code(), errc::unreachable);
  EXPECT_EQ(redis.extend("door", "me", 1s).code(), errc::unreachable);
  EXPECT_GE(redis.stats().of(errc::unreachable), 2U);
}

TEST(errors, unreachable_when_nobody_answers) {
  redis_server server;
  client redis{with_timeout(at(server), 300ms)};
  ASSERT_TRUE(redis.ping());
  server.pause();
  const auto start = std::chrono::steady_clock::now();
  const auto tried = redis.try_acquire("door");
  const auto took = since(start);
  server.resume();
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::unreachable);
  EXPECT_EQ(tried.failure().sent, delivery::unanswered);
  EXPECT_LE(took, 500ms);
  EXPECT_TRUE(key_goes(server, "door")) << "what the server did afterwards is undone";
  EXPECT_TRUE(redis.acquire(std::nothrow, "door", {.wait = 10s})) << "and the client recovers";
}

TEST(errors, bad_url_names_the_word) {
  for (const auto& [url, word] : std::vector<std::pair<std::string, std::string>>{
           {"http://127.0.0.1", "http"}, {"redis://h:99999", "port"}, {"redis://:geheim@h?colour=red", "colour"}}) {
    const auto read = settings::from_url(url);
    ASSERT_FALSE(read) << url;
    EXPECT_EQ(read.code(), errc::bad_url) << url;
    EXPECT_TRUE(has(read.failure().detail, word)) << read.failure().detail;
    EXPECT_FALSE(has(read.failure().detail, "geheim")) << read.failure().detail;
    EXPECT_THROW(client{url}, error);
  }
}

TEST(errors, every_code_has_a_name_and_a_message) {
  for (int code = static_cast<int>(errc::held); code <= static_cast<int>(errc::not_replicated); ++code) {
    const auto one = static_cast<errc>(code);
    EXPECT_FALSE(to_string(one).empty()) << code;
    const std::error_code made = one;
    EXPECT_FALSE(made.message().empty()) << code;
    EXPECT_EQ(made.category().name(), std::string{"holdfast"});
  }
}

}  // namespace
}  // namespace holdfast::test
