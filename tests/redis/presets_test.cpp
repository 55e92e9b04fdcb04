// Presets: our lock on the key of another library, with the steps that the library documents. The libraries themselves,
// where Debian or npm has them, are in redis_py_test.cpp and node_redlock_test.cpp.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

struct preset_case {
  const char* name;
  options how;
  std::string key;  // of the lock that both sides call "invoice"
};
void PrintTo(const preset_case& shown, std::ostream* out) { *out << shown.name; }

const preset_case cases[] = {
    {"as_given", presets::as_given(), "invoice"},
    {"redlock_net", presets::redlock_net(), "redlock:invoice"},
    {"pottery", presets::pottery(), "redlock:invoice"},
    {"python_redis_lock", presets::python_redis_lock(), "lock:invoice"},
    {"spring", presets::spring("orders"), "orders:invoice"},
    {"rueidislock", presets::rueidislock(), "rueidislock:0:invoice"},
    {"shedlock", presets::shedlock("prod"), "job-lock:prod:invoice"},
};

class preset : public testing::TestWithParam<preset_case> {
 protected:
  static settings with_another_prefix(const redis_server& server) {
    settings how = at(server);
    how.prefix = "app:";  // the preset's counts
    return how;
  }
  redis_server server_;
  client redis_{with_another_prefix(server_)};
  bool theirs_takes(const std::string& value) {
    return server_.text({"SET", GetParam().key, value, "NX", "PX", "60000"}) == "OK";
  }
  long long theirs_releases(const std::string& value) {
    return server_.number({"EVAL", "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0",
                           "1", GetParam().key, value});
  }
};

TEST_P(preset, ours_blocks_theirs_and_lets_it_in) {
  lease ours = redis_.acquire("invoice", GetParam().how);
  EXPECT_EQ(ours.key(), GetParam().key);
  EXPECT_EQ(ours.name(), "invoice");
  EXPECT_FALSE(theirs_takes("theirs"));
  EXPECT_EQ(theirs_releases("theirs"), 0);
  EXPECT_EQ(ours.release(), release_outcome::released);
  EXPECT_TRUE(theirs_takes("theirs"));
}

TEST_P(preset, theirs_blocks_ours_and_lets_it_in) {
  const std::string binary{"\0\xff value", 8};
  ASSERT_TRUE(theirs_takes(binary));
  EXPECT_EQ(redis_.try_acquire("invoice", GetParam().how).code(), errc::held);
  auto came = std::async(std::launch::async, [&] { return redis_.acquire("invoice", GetParam().how).owner().size(); });
  ASSERT_TRUE(queue_reaches(server_, GetParam().key, 1));
  EXPECT_EQ(theirs_releases(binary), 1);
  ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
  EXPECT_GT(came.get(), 0U);
}

TEST_P(preset, keeps_the_other_options) {
  options how = GetParam().how;
  how.ttl = 5s;
  how.owner = "me";
  const lease ours = redis_.acquire("invoice", how);
  EXPECT_EQ(server_.text({"GET", GetParam().key}), "me");
  EXPECT_LE(server_.number({"PTTL", GetParam().key}), 5'000);
}

INSTANTIATE_TEST_SUITE_P(, preset, testing::ValuesIn(cases), [](const auto& shown) { return shown.param.name; });

// python-redis-lock's waiters sleep in BLPOP, for ever if they were given no limit.
struct python_redis_lock_signal : testing::Test {
  redis_server server;
  client redis{at(server)};
  const options how = presets::python_redis_lock();
  const std::string signal = "lock-signal:invoice";
};

TEST_F(python_redis_lock_signal, wakes_a_waiter_in_blpop) {
  lease ours = redis.acquire("invoice", how);
  auto theirs = std::async(std::launch::async, [&] {
    auto connection = server.connect(30s);
    while (connection.text({"SET", "lock:invoice", "theirs", "NX", "EX", "60"}) != "OK") {
      if (connection.command({"BLPOP", signal, "0"}).items.size() != 2) return false;
    }
    return true;
  });
  ASSERT_TRUE(eventually(patience, [&] { return has(server.text({"INFO", "clients"}), "blocked_clients:1"); }));
  EXPECT_EQ(ours.release(), release_outcome::released);
  ASSERT_EQ(theirs.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(theirs.get());
  EXPECT_EQ(server.text({"GET", "lock:invoice"}), "theirs");
}

TEST_F(python_redis_lock_signal, is_one_element_for_a_second) {
  for (int i = 0; i < 3; ++i) static_cast<void>(redis.acquire("invoice", how));
  EXPECT_EQ(server.number({"LLEN", signal}), 1);
  EXPECT_GT(server.number({"PTTL", signal}), 0);
  EXPECT_LE(server.number({"PTTL", signal}), 1'000);
}

TEST_F(python_redis_lock_signal, is_not_given_while_ours_wait) {
  lease ours = redis.acquire("invoice", how);
  client second{at(server)};
  auto next = std::async(std::launch::async, [&] { return second.acquire("invoice", how); });
  ASSERT_TRUE(queue_reaches(server, "lock:invoice", 1));
  EXPECT_EQ(ours.release(), release_outcome::released);
  lease held = next.get();
  EXPECT_EQ(server.number({"EXISTS", signal}), 0) << "nothing was freed";
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(server.number({"LLEN", signal}), 1);
}

TEST_F(python_redis_lock_signal, leaves_a_key_of_another_type_alone) {
  server.text({"SET", signal, "somebody's data"});
  EXPECT_EQ(redis.acquire("invoice", how).release(), release_outcome::released);
  EXPECT_EQ(server.text({"GET", signal}), "somebody's data");
  EXPECT_EQ(server.number({"EXISTS", "lock:invoice"}), 0);
}

TEST_F(python_redis_lock_signal, must_not_be_the_lock) {
  EXPECT_EQ(redis.try_acquire("invoice", {.prefix = "a:", .signal_prefix = "a:"}).code(), errc::bad_option);
  EXPECT_THROW((recursive_mutex{redis, "invoice", {.signal_prefix = "a:"}}), error);
}

}  // namespace
}  // namespace holdfast::test
