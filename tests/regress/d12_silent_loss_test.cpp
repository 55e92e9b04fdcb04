// D12 (Redisson): a lost lease was silent: no log, no callback.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "regress/ground.hpp"

namespace holdfast::regress {
namespace {

void expect_loud(loss_cause cause, const std::vector<std::string>& what_happens) {
  redis_server server;
  client redis{quiet(server.url())};
  std::mutex guard;
  std::optional<loss> by_option;
  std::atomic<int> calls{0};
  std::atomic<int> later_calls{0};
  lease held = redis.acquire("d12", {.ttl = 900ms, .on_lost = [&](const loss& what) {
                                       const std::lock_guard keep{guard};
                                       by_option = what;
                                       ++calls;
                                     }});
  held.on_lost([&](const loss&) { ++later_calls; });
  const auto token = held.lost();
  const auto fence = held.fence();
  static_cast<void>(server.command(what_happens));
  ASSERT_TRUE(eventually(patience, [&] { return later_calls > 0; }));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(later_calls, 1);
  {
    const std::lock_guard keep{guard};
    ASSERT_TRUE(by_option);
    EXPECT_EQ(by_option->cause, cause);
    EXPECT_EQ(by_option->name, "d12");
    EXPECT_EQ(by_option->fence, fence);
  }
  EXPECT_TRUE(token.stop_requested());
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_FALSE(held);
  EXPECT_EQ(held.remaining(), 0ns);
  EXPECT_EQ(redis.stats().of(cause), 1U);
  const auto extended = held.extend(std::nothrow, 1s);
  ASSERT_FALSE(extended);
  EXPECT_EQ(extended.code(), errc::lost);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
}

TEST(Regress, D12_ADeletedLockIsALoudLoss) { expect_loud(loss_cause::gone, {"DEL", "d12"}); }

TEST(Regress, D12_ATakenLockIsALoudLoss) { expect_loud(loss_cause::taken, {"SET", "d12", "thief", "PX", "60000"}); }

TEST(Regress, D12_AFlushedServerIsALoudLoss) { expect_loud(loss_cause::gone, {"FLUSHALL"}); }

}  // namespace
}  // namespace holdfast::regress
