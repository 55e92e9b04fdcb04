// Loss of a lease: the token, the callback with its cause, what the callback may do, and leases that outlive the client.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

// Collects losses from the callback thread.
class losses {
 public:
  std::function<void(const loss&)> callback() {
    return [this](const loss& what) {
      const std::lock_guard lock{mutex_};
      seen_.push_back(what);
    };
  }
  [[nodiscard]] std::vector<loss> seen() const {
    const std::lock_guard lock{mutex_};
    return seen_;
  }
  [[nodiscard]] bool reach(std::size_t count) const {
    return eventually(patience, [&] { return seen().size() >= count; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<loss> seen_;
};

struct loss_signal : testing::Test {
  redis_server server;
  losses seen;
  client redis{at(server)};
};

TEST_F(loss_signal, tells_a_deleted_key_once) {
  lease held = redis.acquire("door", {.ttl = 600ms, .on_lost = seen.callback()});
  held.on_lost(seen.callback());
  const auto token = held.lost();
  EXPECT_FALSE(token.stop_requested());
  server.number({"DEL", "door"});
  ASSERT_TRUE(seen.reach(2)) << "both callbacks";
  EXPECT_TRUE(token.stop_requested());
  EXPECT_FALSE(held);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  const auto all = seen.seen();
  ASSERT_EQ(all.size(), 2U);
  for (const auto& each : all) {
    EXPECT_EQ(each.cause, loss_cause::gone);
    EXPECT_EQ(each.name, "door");
    EXPECT_EQ(each.fence, held.fence());
  }
  EXPECT_EQ(redis.stats().of(loss_cause::gone), 1U);
  EXPECT_EQ(redis.stats().held_now, 0U);
}

TEST_F(loss_signal, tells_a_takeover) {
  lease held = redis.acquire("door", {.ttl = 600ms, .on_lost = seen.callback()});
  server.text({"SET", "door", "usurper"});
  ASSERT_TRUE(seen.reach(1));
  EXPECT_EQ(seen.seen()[0].cause, loss_cause::taken);
  EXPECT_EQ(server.text({"GET", "door"}), "usurper");
}

TEST_F(loss_signal, comes_before_the_server_can_give_the_lock_away) {
  lease held = redis.acquire("door", {.ttl = 1s, .on_lost = seen.callback()});
  server.pause();  // no renewal is answered from now on
  ASSERT_TRUE(eventually(patience, [&] { return held.state() == lease_state::LOST; }));
  EXPECT_EQ(held.remaining(), 0ns);
  ASSERT_TRUE(seen.reach(1));
  EXPECT_EQ(seen.seen()[0].cause, loss_cause::expired);
  server.resume();
}

TEST_F(loss_signal, jeopardy_comes_first_and_passes) {
  lease held = redis.acquire("door", {.ttl = 3s});
  server.pause();
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::JEOPARDY; }));
  server.resume();
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::VALID; }));
  EXPECT_EQ(held.release(), release_outcome::released);
}

TEST_F(loss_signal, a_callback_added_after_the_loss_runs_at_once) {
  lease held = redis.acquire("door", {.ttl = 600ms});
  server.number({"DEL", "door"});
  ASSERT_TRUE(eventually(patience, [&] { return !held; }));
  bool called = false;
  held.on_lost([&](const loss& what) { called = what.cause == loss_cause::gone; });
  EXPECT_TRUE(called);
  EXPECT_TRUE(held.lost().stop_requested());
}

TEST_F(loss_signal, a_release_is_no_loss) {
  lease held = redis.acquire("door", {.ttl = 300ms, .on_lost = seen.callback()});
  const auto token = held.lost();
  EXPECT_EQ(held.release(), release_outcome::released);
  std::this_thread::sleep_for(400ms);  // past where the deadline was
  EXPECT_FALSE(token.stop_requested());
  EXPECT_TRUE(seen.seen().empty());
}

TEST_F(loss_signal, the_callback_may_acquire_again_on_the_same_client) {
  std::promise<release_outcome> outcome;
  lease held = redis.acquire("door", {.ttl = 600ms, .on_lost = [&](const loss&) {
                                        lease again = redis.acquire("door", {.wait = 5s});
                                        (void)redis.ping();
                                        (void)redis.stats();
                                        outcome.set_value(again.release());
                                      }});
  server.number({"DEL", "door"});
  auto done = outcome.get_future();
  ASSERT_EQ(done.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(done.get(), release_outcome::released);
}

TEST_F(loss_signal, the_callback_may_destroy_the_client) {
  auto doomed = std::make_unique<client>(at(server));
  std::promise<void> gone;
  lease held = doomed->acquire("door", {.ttl = 600ms, .on_lost = [&](const loss&) {
                                          doomed.reset();
                                          gone.set_value();
                                        }});
  server.number({"DEL", "door"});
  ASSERT_EQ(gone.get_future().wait_for(patience), std::future_status::ready);
  EXPECT_FALSE(held);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
}

TEST_F(loss_signal, the_callback_may_destroy_everything) {
  auto doomed = std::make_unique<client>(at(server));
  auto held = std::make_unique<std::optional<lease>>();
  std::promise<void> gone;
  held->emplace(doomed->acquire("door", {.ttl = 600ms, .on_lost = [&](const loss&) {
                                           held.reset();
                                           doomed.reset();
                                           gone.set_value();
                                         }}));
  server.number({"DEL", "door"});
  ASSERT_EQ(gone.get_future().wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(redis.try_acquire("door"));
}

TEST_F(loss_signal, a_lease_that_outlives_its_client_is_lost_and_not_renewed) {
  auto doomed = std::make_unique<client>(at(server));
  lease held = doomed->acquire("door", {.ttl = 1500ms, .on_lost = seen.callback()});
  const auto token = held.lost();
  doomed.reset();
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(held.remaining(), 0ns);
  ASSERT_TRUE(seen.reach(1));
  EXPECT_EQ(seen.seen()[0].cause, loss_cause::closed);
  EXPECT_TRUE(token.stop_requested());
  EXPECT_EQ(held.extend(std::nothrow, 1s).code(), errc::lost);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  EXPECT_EQ(held.name(), "door");
  EXPECT_TRUE(key_goes(server, "door")) << "nobody renews it";
}

}  // namespace
}  // namespace holdfast::test
