// client.stats() adds up, and the warnings about a server that endangers locks come, once each.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <numeric>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

TEST(stats, count_what_happened) {
  redis_server server;
  client redis{at(server)};
  client other{at(server)};
  lease a = redis.acquire("a");
  lease b = redis.acquire("b");
  EXPECT_EQ(redis.stats().held_now, 2U);
  EXPECT_FALSE(other.try_acquire("a"));
  EXPECT_FALSE(other.acquire(std::nothrow, "a", {.wait = 50ms}));
  auto next = std::async(std::launch::async, [&] { return other.acquire("a").fence(); });
  EXPECT_TRUE(eventually(patience, [&] { return other.stats().waiting_now == 1; }));
  EXPECT_EQ(redis.acquire("c").release(), release_outcome::released);
  EXPECT_EQ(redis.stats().released, 1U);
  EXPECT_EQ(other.stats().acquired, 0U);
  a.release();
  b.release();
  EXPECT_GT(next.get(), a.fence());
  const auto mine = redis.stats();
  EXPECT_EQ(mine.attempts, 3U);
  EXPECT_EQ(mine.acquired, 3U);
  EXPECT_EQ(mine.contended, 0U);
  EXPECT_EQ(mine.released, 3U);
  EXPECT_EQ(mine.held_now, 0U);
  EXPECT_EQ(mine.handoffs_given, 1U);
  EXPECT_EQ(mine.hold.count(), 3U);
  EXPECT_EQ(mine.wait.count(), 3U);
  const auto theirs = other.stats();
  EXPECT_EQ(theirs.attempts, 3U);
  EXPECT_EQ(theirs.acquired, 1U);
  EXPECT_EQ(theirs.contended, 3U);
  EXPECT_EQ(theirs.timeouts, 1U);
  EXPECT_EQ(theirs.of(errc::held), 1U);
  EXPECT_EQ(theirs.of(errc::timed_out), 1U);
  EXPECT_EQ(theirs.handoffs_received, 1U);
  EXPECT_EQ(theirs.woken_by_push + theirs.woken_by_timer, 1U);
  EXPECT_EQ(theirs.waiting_now, 0U);
  EXPECT_EQ(theirs.wait.count(), 1U);
  EXPECT_GT(theirs.wait.sum(), 0ns);
  EXPECT_GE(theirs.wait.quantile(0.5), theirs.wait.sum() / 2);
  const auto& counts = theirs.wait.counts();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 1U);
}

TEST(stats, show_renewals_with_what_was_left) {
  redis_server server;
  client redis{at(server)};
  const lease held = redis.acquire("door", {.ttl = 900ms});
  EXPECT_TRUE(eventually(patience, [&] { return redis.stats().renewals >= 2; }));
  const auto seen = redis.stats();
  EXPECT_GE(seen.validity_at_renewal.count(), 2U);
  EXPECT_LE(seen.validity_at_renewal.quantile(1.0), 1100ms) << "less than a ttl, to the edge of its bucket";
  EXPECT_GT(seen.validity_at_renewal.sum(), 0ns);
}

// Collects what a server is warned about.
class warnings {
 public:
  explicit warnings(redis_server& server) : how_{at(server)} {
    how_.on_warning = [this](const warning& what) {
      const std::lock_guard lock{mutex_};
      seen_.push_back(what);
    };
  }
  [[nodiscard]] const settings& how() const { return how_; }
  [[nodiscard]] std::size_t about(const std::string& word) const {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    for (const auto& each : seen_) {
      if (has(each.what, word)) {
        ++count;
        EXPECT_FALSE(each.fix.empty());
      }
    }
    return count;
  }
  [[nodiscard]] bool told(const std::string& word) const {
    return eventually(patience, [&] { return about(word) == 1; });
  }

 private:
  settings how_;
  mutable std::mutex mutex_;
  std::vector<warning> seen_;
};

TEST(warnings_of_a_server, about_eviction_and_missing_persistence) {
  redis_server server{{.config = {"maxmemory 100mb", "maxmemory-policy allkeys-lru"}}};
  warnings seen{server};
  client redis{seen.how()};
  ASSERT_TRUE(redis.ping());
  EXPECT_TRUE(seen.told("allkeys-lru"));
  EXPECT_TRUE(seen.told("appendonly"));
  EXPECT_EQ(seen.about("replica"), 0U);
}

TEST(warnings_of_a_server, about_a_replica) {
  redis_server primary;
  redis_server replica{{.replica_of = primary.port()}};
  warnings seen{replica};
  client redis{seen.how()};
  ASSERT_TRUE(redis.ping());
  EXPECT_TRUE(seen.told("replica"));
}

TEST(warnings_of_a_server, none_where_nothing_is_wrong) {
  redis_server server{{.appendonly = true}};
  warnings seen{server};
  client redis{seen.how()};
  ASSERT_TRUE(redis.ping());
  EXPECT_TRUE(eventually(patience, [&] { return server.command_calls("info") >= 1; }));
  const auto looked = [&] { return has(server.text({"CLIENT", "LIST"}), "cmd=info"); };
  EXPECT_TRUE(eventually(patience, looked)) << "it has looked";
  ASSERT_TRUE(redis.ping()) << "and read the answer, which comes before this one";
  EXPECT_EQ(seen.about(""), 0U);
}

TEST(warnings_of_a_server, may_call_the_client) {
  redis_server server;
  settings how = at(server);
  std::promise<bool> called;
  std::promise<client*> given;
  auto pointer = given.get_future().share();
  std::atomic<bool> once{false};
  how.on_warning = [&, pointer](const warning&) {
    if (!once.exchange(true)) called.set_value(pointer.get()->ping().has_value());
  };
  client redis{how};
  given.set_value(&redis);
  auto answer = called.get_future();
  ASSERT_EQ(answer.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(answer.get());
}

}  // namespace
}  // namespace holdfast::test
