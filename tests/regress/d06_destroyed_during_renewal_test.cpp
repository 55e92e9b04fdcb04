// D6 (redis-plus-plus): destroying the mutex during a renewal aborted the process: a thread joined itself.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

struct D6 {
  redis_server server;
  gate between{server.port()};
  std::optional<client> redis;

  D6() {
    load_scripts(server);
    redis.emplace(quiet(between.url(), 100ms));
  }
  // Returns while a renewal is out and its answer will not come.
  bool renewal_hangs(std::size_t round) { return between.wait_triggered(round); }
  void arm() { between.when(renew_sha(), fault::black_hole(test::direction::to_client), moment::after); }
};

TEST(Regress, D6_TheMutexMayGoDuringARenewal) {
  D6 ground;
  for (std::size_t round = 1; round <= 3; ++round) {
    ground.arm();
    auto lock = std::make_unique<mutex>(*ground.redis, "d6", options{.ttl = 300ms});
    lock->lock();
    ASSERT_TRUE(ground.renewal_hangs(round));
    lock.reset();
    ground.between.pass();
    ASSERT_TRUE(key_goes(ground.server, "d6"));
    ASSERT_TRUE(eventually(patience, [&] { return ground.redis->ping().has_value(); }));
  }
  EXPECT_EQ(ground.redis->stats().held_now, 0U);
}

TEST(Regress, D6_TheClientMayGoDuringARenewal) {
  D6 ground;
  ground.arm();
  lease held = ground.redis->acquire("d6", {.ttl = 300ms});
  ASSERT_TRUE(ground.renewal_hangs(1));
  ground.redis.reset();
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
}

TEST(Regress, D6_EverythingMayGoFromTheLossCallback) {
  redis_server server;
  for (int round = 0; round < 4; ++round) {
    auto redis = std::make_unique<client>(quiet(server.url()));
    std::unique_ptr<mutex> lock;
    std::unique_ptr<lease> held;
    std::atomic<bool> ready{false};
    std::atomic<bool> gone{false};
    lock = std::make_unique<mutex>(*redis, "d6-mutex", options{.ttl = 1500ms});
    lock->lock();
    held = std::make_unique<lease>(redis->acquire("d6", {.ttl = 1500ms, .on_lost = [&](const loss& what) {
                                                           EXPECT_EQ(what.cause, loss_cause::gone);
                                                           while (!ready) std::this_thread::yield();
                                                           held.reset();
                                                           lock.reset();
                                                           redis.reset();
                                                           gone = true;
                                                         }}));
    ready = true;
    server.command({"DEL", "d6"});
    ASSERT_TRUE(eventually(patience, [&] { return gone.load(); }));
  }
  EXPECT_TRUE(key_goes(server, "d6-mutex"));
}

}  // namespace
}  // namespace holdfast::regress
