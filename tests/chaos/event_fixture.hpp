// The fixture of the server-event tests: one server, a client that holds, a client that waits, and the fences drawn.
//
// Every acquisition goes through take() or is noted with note_fence(): a fence that is not above all earlier ones fails
// the test, whatever happened to the server in between. Thread safety: note_fence() from the test's thread only.
#pragma once

#include <future>
#include <memory>

#include "chaos/bystander.hpp"

namespace holdfast::test {

class event_fixture : public testing::Test {
 protected:
  static constexpr std::chrono::milliseconds ttl{800};
  static constexpr std::chrono::milliseconds margin{200};
  static constexpr std::chrono::milliseconds patient{10'000};
  static constexpr std::chrono::milliseconds wake_up{150};  // within the margin
  static constexpr auto name = "event-lock";

  void start(redis_options how = {}, int protocol = 0) {
    server_ = std::make_unique<redis_server>(std::move(how));
    auto where = quick(server_->url());
    where.protocol = protocol;
    where.command_timeout = std::chrono::milliseconds{300};
    holder_ = std::make_unique<client>(where);
    waiter_ = std::make_unique<client>(where);
  }

  options with_note() { return {.ttl = ttl, .wait = patient, .stop_margin = margin, .on_lost = note_.callback()}; }

  lease take() {
    auto held = holder_->acquire(name, with_note());
    note_fence(held.fence());
    return held;
  }
  void note_fence(std::uint64_t fence) {
    EXPECT_GT(fence, last_fence_);
    last_fence_ = fence;
  }

  // Another client's call, under way in the queue when this returns.
  std::future<result<lease>> queue_up(std::chrono::milliseconds wait = patient) {
    auto call = std::async(std::launch::async, [this, wait] {
      return waiter_->acquire(std::nothrow, name, {.ttl = ttl, .wait = wait, .stop_margin = margin});
    });
    EXPECT_TRUE(eventually(patient, [&] { return waiting() == 1; }));
    return call;
  }
  long long waiting() { return server_->number({"ZCARD", std::string{"{"} + name + "}:waiters"}); }

  // The release goes through, and the waiter has the lock soon after.
  void hand_over(lease& held, std::future<result<lease>>& call) {
    EXPECT_EQ(held.release(), release_outcome::released);
    auto got = call.get();
    ASSERT_TRUE(got) << got.failure().detail;
    note_fence(got->fence());
    EXPECT_EQ(got->release(), release_outcome::released);
  }

  // Waits for the loss; it must come at the lease's own deadline or earlier, and before `other` has the lock.
  void expect_loss_on_time(const lease& held, const bystander& other) {
    std::int64_t deadline = 0;
    const auto end = boottime_ns() + 5'000'000'000;
    while (boottime_ns() < end) {
      const auto left = held.remaining();
      if (left.count() <= 0) break;
      deadline = boottime_ns() + left.count();
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    EXPECT_EQ(held.state(), lease_state::LOST);
    EXPECT_TRUE(held.lost().stop_requested());
    ASSERT_TRUE(eventually(patient, [&] { return note_.by_callback != 0; }));
    EXPECT_LE(std::chrono::nanoseconds{note_.by_callback - deadline}, wake_up);
    EXPECT_GE(other.got().value_or(note_.by_callback), note_.by_callback) << "somebody else had it before the signal";
  }

  // All is well again: the lock can be had, with a larger fence, and nothing is left afterwards.
  void expect_recovered() {
    auto again = holder_->acquire(name, {.ttl = ttl, .wait = patient});
    note_fence(again.fence());
    EXPECT_EQ(again.release(), release_outcome::released);
    expect_nothing_left(*server_, std::chrono::seconds{3});
  }

  loss_note note_;
  std::unique_ptr<redis_server> server_;
  std::unique_ptr<client> holder_;
  std::unique_ptr<client> waiter_;

 private:
  std::uint64_t last_fence_ = 0;
};

}  // namespace holdfast::test
