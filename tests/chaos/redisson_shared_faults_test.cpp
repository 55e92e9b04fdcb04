// Faults at the steps of redisson_shared_mutex: lost requests and answers, cut links, lost messages, for readers and writers alike.
//
// A client works through the gate and another one directly. Whatever is lost, each test shows that a hold counts once, that nobody is
// let in beside a writer, that the waiter gets in by its timer, and that nothing is left in the end.
#include <future>
#include <ostream>

#include "chaos/shares_ground.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class redisson_shared_fault : public testing::TestWithParam<bool>, protected shares_ground {
 protected:
  redisson_shared_fault()
      : shares_ground{"redisson-lock",
                      {&scripts::read_write_acquire, &scripts::read_write_renew, &scripts::read_write_release,
                       &scripts::read_write_downgrade}} {}

  static result<void> take(redisson_shared_mutex& door, std::chrono::nanoseconds limit = 10s) {
    return GetParam() ? door.try_lock_for(std::nothrow, limit) : door.try_lock_shared_for(std::nothrow, limit);
  }
  // Somebody who waits for the door, finds nobody else inside, and leaves.
  std::future<release_outcome> comes_and_goes(redisson_shared_mutex& door) {
    return std::async(std::launch::async, [&] {
      const auto got = take(door, 20s);
      EXPECT_TRUE(got) << got.failure().detail;
      expect_one_inside();
      return door.release();
    });
  }
  // One holder, once; a reader with its one timeout.
  void expect_one_inside() {
    std::vector<std::string> counts;
    for (const std::string& field : server_.list({"HKEYS", key})) {
      if (field != "mode") counts.push_back(server_.text({"HGET", key, field}));
    }
    EXPECT_EQ(counts, std::vector<std::string>{"1"}) << "what was taken twice is held once (D11)";
    long long timeouts = 0;
    for (const std::string& each : server_.keys()) {
      if (each.find(":rwlock_timeout:") != std::string::npos) ++timeouts;
    }
    EXPECT_EQ(timeouts, GetParam() ? 0 : 1);
  }
};

TEST_P(redisson_shared_fault, a_lost_answer_to_acquire_counts_once) {
  redisson_shared_mutex door{through_, key};
  gate_.when_reply(granted, fault::cut());
  const auto got = take(door);
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(gate_.triggered(), 1U);
  expect_one_inside();
  EXPECT_EQ(door.release(), release_outcome::released);
  finish();
}

TEST_P(redisson_shared_fault, a_lost_request_is_sent_again) {
  redisson_shared_mutex door{through_, key};
  gate_.when(std::string{scripts::read_write_acquire.sha1}, fault::cut(), moment::before);
  const auto got = take(door);
  ASSERT_TRUE(got) << got.failure().detail;
  expect_one_inside();
  gate_.when(std::string{scripts::read_write_release.sha1}, fault::cut(), moment::before);
  EXPECT_EQ(door.release(), release_outcome::released);
  EXPECT_EQ(gate_.triggered(), 2U);
  finish();
}

TEST_P(redisson_shared_fault, a_lost_answer_to_release_gives_back_once) {
  redisson_shared_mutex door{through_, key};
  ASSERT_TRUE(take(door));
  gate_.when(std::string{scripts::read_write_release.sha1}, fault::cut(), moment::after);
  EXPECT_NE(door.release(), release_outcome::was_lost) << "it was ours until we gave it back";
  EXPECT_EQ(gate_.triggered(), 1U);
  finish();
}

TEST_P(redisson_shared_fault, a_lost_answer_to_downgrade_changes_nothing_more) {
  redisson_shared_mutex door{through_, key};
  ASSERT_TRUE(take(door));
  gate_.when(std::string{scripts::read_write_downgrade.sha1}, fault::cut(), moment::after);
  EXPECT_TRUE(door.downgrade(std::nothrow));
  EXPECT_EQ(gate_.triggered(), 1U);
  EXPECT_EQ(server_.text({"HGET", key, "mode"}), "read");
  EXPECT_EQ(server_.number({"HLEN", key}), 2);
  EXPECT_EQ(door.release(), release_outcome::released);
  finish();
}

TEST_P(redisson_shared_fault, an_acquire_that_is_never_answered_is_undone) {
  redisson_shared_mutex door{through_, key};
  gate_.when_reply(granted, fault::black_hole(direction::to_client));
  EXPECT_EQ(take(door, 300ms).code(), errc::unreachable);
  EXPECT_EQ(gate_.triggered(), 1U);
  finish();
}

// D14: the message is lost, and the waiter's timer finds the grant long before the claim window or the ttl is over.
TEST_P(redisson_shared_fault, a_lost_grant_is_found_by_the_timer) {
  redisson_shared_mutex first{direct_, key};
  redisson_shared_mutex door{through_, key};
  first.lock();
  auto waiter = comes_and_goes(door);
  ASSERT_TRUE(one_waits());
  gate_.when_reply(grant, fault::drop_reply(1));
  EXPECT_EQ(first.release(), release_outcome::released);
  EXPECT_EQ(waiter.get(), release_outcome::released);
  EXPECT_EQ(gate_.triggered(), 1U);
  EXPECT_EQ(through_.stats().woken_by_timer, 1U);
  finish();
}

TEST_P(redisson_shared_fault, a_link_that_is_cut_while_waiting_keeps_the_place) {
  redisson_shared_mutex first{direct_, key};
  redisson_shared_mutex door{through_, key};
  first.lock();
  auto waiter = comes_and_goes(door);
  ASSERT_TRUE(one_waits());
  gate_.cut();
  EXPECT_EQ(first.release(), release_outcome::released);
  EXPECT_EQ(waiter.get(), release_outcome::released);
  finish();
}

TEST_P(redisson_shared_fault, a_holder_that_is_cut_off_is_told_before_another_gets_in) {
  loss_note note;
  redisson_shared_mutex door{through_, key, {.ttl = 900ms, .stop_margin = 150ms, .on_lost = note.callback()}};
  redisson_shared_mutex next{direct_, key};
  ASSERT_TRUE(take(door));
  gate_.set(fault::black_hole(direction::both));
  next.lock();
  const auto got = boottime_ns();
  ASSERT_TRUE(eventually(5s, [&] { return note.by_callback != 0; }));
  EXPECT_LT(note.by_callback, got);
  EXPECT_EQ(door.state(), lease_state::LOST);
  gate_.pass();
  EXPECT_EQ(door.release(), release_outcome::was_lost);
  EXPECT_EQ(next.state(), lease_state::VALID) << "a late release takes nothing from the next one";
  EXPECT_EQ(next.release(), release_outcome::released);
  finish();
}

INSTANTIATE_TEST_SUITE_P(, redisson_shared_fault, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "writer" : "reader"; });

}  // namespace
}  // namespace holdfast::test
